"""Messages as bytes: what crosses between master and workers, and nothing else. docs/engines.md has the layout."""

from holdfast.engines.wire.frames import HEADER_BYTES, Data, Frame, Kind, WireError, decode, encode
from holdfast.engines.wire.messages import floats, model, read, rows_of, sides, sides_of, tally, tally_of
from holdfast.engines.wire.packets import Packet, is_packet, pack, unpack
from holdfast.engines.wire.sizes import message_bytes
