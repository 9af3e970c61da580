"""Messages as bytes: what crosses between master and workers, and nothing else. docs/engines.md has the layout."""

from holdfast.engines.wire.frame import HEADER_BYTES, Data, Frame, Kind, WireError, decode, encode
from holdfast.engines.wire.messages import floats, message_bytes, model, read, rows_of, sides, sides_of, tally, tally_of
from holdfast.engines.wire.packets import Packet, is_packet, pack, unpack
