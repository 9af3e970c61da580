"""Attacks as a mod of Flower's ClientApp."""

from logging import getLogger
from typing import Any

from flwr.app import Array, ArrayRecord, Context, Message, MessageType
from flwr.clientapp.typing import ClientAppCallable

from holdfast.errors import InvalidInput
from holdfast.federation.compromise import Compromise

LOGGER = getLogger("flwr")


class AttackMod:
    """Makes a node Byzantine: a ClientApp with this mod answers train messages with an attack.

    `attack` is spelled as on the command line. Only attacks that one process can mount alone are accepted. Attacks that
    draw number the node by its `partition-id` plus 1, else by Flower's node number.

        app = ClientApp(mods=[AttackMod("sign-flip")])
    """

    def __init__(self, attack: object, seed: int = 0) -> None:
        self._compromise = Compromise.of(attack, seed)

    def __call__(self, message: Message, context: Context, call_next: ClientAppCallable) -> Message:
        """Let the node train as if it were honest, then corrupt its reply."""
        kind, _, _ = message.metadata.message_type.partition(".")
        sent = list(message.content.array_records.values())
        round = int(
            next((r["server-round"] for r in message.content.config_records.values() if "server-round" in r), 0)
        )
        reply = call_next(message, context)
        if kind != MessageType.TRAIN or reply.has_error():
            return reply
        name = next(iter(reply.content.array_records), None)
        if len(sent) != 1 or name is None:
            return reply
        trained = reply.content.array_records[name]
        worker = int(context.node_config.get("partition-id", int(context.node_id) - 1)) + 1
        try:
            model = self._compromise.model(_arrays(sent[0]), _arrays(trained), worker, round)
        except InvalidInput as error:  # training has diverged
            LOGGER.info("attack: %s", error)
            return reply
        reply.content[name] = ArrayRecord({each: Array(array) for each, array in model.items()})
        return reply


def _arrays(record: ArrayRecord) -> dict[str, Any]:
    return {name: array.numpy() for name, array in record.items()}
