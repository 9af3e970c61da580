"""Requests to stations and their answers, as messages of Flower's."""

from collections.abc import Collection, Sequence
from logging import getLogger
from time import monotonic, sleep

from flwr.app import ConfigRecord, Message, MessageType, RecordDict
from flwr.serverapp import Grid

from holdfast.errors import EngineError
from holdfast.federation.postbox import Failure

LOGGER = getLogger("flwr")
RECORD, WORKER, BODY = "holdfast", "worker", "body"
"""The keys of the bytes in a message."""
SIMULATED = "flwr run . --federation-config num-supernodes=%d"
"""How to get more nodes in simulation."""


class GridCarrier:
    """Carries requests to nodes. The server decides which node is which worker, never the node."""

    def __init__(self, grid: Grid, nodes: Sequence[int]) -> None:
        self._grid, self._nodes = grid, nodes
        self._refused = 0

    def push(self, member: int, request: bytes) -> str:
        content = RecordDict({RECORD: ConfigRecord({WORKER: member + 1, BODY: request})})
        message = Message(content, self._nodes[member], MessageType.QUERY)
        ticket = next(iter(self._grid.push_messages([message])), "")
        if not ticket:
            self._refused += 1
        return ticket or f"refused {self._refused}"

    def pull(self, tickets: Collection[str]) -> dict[str, bytes | Failure]:
        refused = {ticket: Failure("the message was not taken") for ticket in tickets if ticket.startswith("refused")}
        waiting = [ticket for ticket in tickets if ticket not in refused]
        if not waiting:
            return dict(refused)
        replies = self._grid.pull_messages(waiting)
        return refused | {message.metadata.reply_to_message_id: _body(message) for message in replies}

    def list_connected(self) -> set[int]:
        connected = set(self._grid.get_node_ids())
        return {member for member, node in enumerate(self._nodes) if node in connected}


def await_nodes(grid: Grid, count: int, patience: float = 600.0) -> list[int]:
    """Wait until `count` nodes are connected. Return them in the order of their names, then of their numbers."""
    start, before = monotonic(), -1
    while True:
        nodes = sorted(grid.get_nodes(), key=lambda node: (len(node.name), node.name, node.node_id))
        if len(nodes) >= count:
            return [node.node_id for node in nodes[:count]]
        if monotonic() - start > patience:
            raise EngineError(f"a federation needs {count} nodes within {patience:g} seconds; got {len(nodes)}")
        if len(nodes) != before:
            before = len(nodes)
            LOGGER.info("%d of %d nodes are connected; in simulation: %s", before, count, SIMULATED % count)
        sleep(0.5)


def _body(message: Message) -> bytes | Failure:
    """Return the bytes in a reply; any other content counts as no bytes, which the engine reports."""
    if message.has_error():
        return Failure(message.error.reason or f"error {message.error.code}")
    body = message.content.config_records.get(RECORD, {}).get(BODY)
    return body if isinstance(body, bytes) else b""
