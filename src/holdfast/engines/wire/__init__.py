"""Everything that crosses between master and workers, as bytes. docs/engines.md has the layout."""

from holdfast.engines.wire.frame import HEADER_BYTES, Data, Frame, Kind, WireError, decode, encode
from holdfast.engines.wire.messages import (
    floats,
    message_bytes,
    model,
    read,
    rows_of,
    sides,
    sides_of,
    tally,
    tally_of,
    write,
)
from holdfast.engines.wire.packets import (
    Packet,
    is_error,
    is_packet,
    open_answer,
    pack,
    pack_error,
    take_array,
    unpack,
)
