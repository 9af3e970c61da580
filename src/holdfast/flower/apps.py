"""RSA, and every other method, as a Flower app: the same two apps run in simulation and in deployment."""

import json
from collections.abc import Sequence
from logging import getLogger
from time import monotonic
from typing import Any

import numpy as np
from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp

from holdfast.federation.app_settings import Settings
from holdfast.federation.checkpoint_files import Node
from holdfast.federation.federated_training import (
    Task,
    build_from_spec,
    build_station,
    resolve_numbers,
    train_federation,
)
from holdfast.federation.postbox import Postbox
from holdfast.federation.trial import RoundRecord
from holdfast.files import write_atomic
from holdfast.flower.carrier import BODY, RECORD, WORKER, GridCarrier, await_nodes
from holdfast.runs.spec import Spec

LOGGER = getLogger("flwr")


def server_app(spec: Spec, task: Task = build_from_spec) -> ServerApp:
    """Return the ServerApp that trains a spec on the nodes of a federation, one worker each."""
    app = ServerApp()

    def main(grid: Grid, context: Context) -> None:
        settings = Settings.of(spec, context.run_config, context.run_id)
        resolved = resolve_numbers(settings.spec, task)
        nodes, total = await_nodes(grid, resolved.workers), resolved.rounds
        folder = settings.folder(context.run_config, "server")
        start, first = monotonic(), None
        rounds = train_federation(
            resolved,
            Postbox(GridCarrier(grid, nodes)),
            task=task,
            timeout=settings.round_timeout,
            least=settings.min_workers,
            folder=folder,
        )
        for played in rounds:
            first = played.number - 1 if first is None else first
            left = (monotonic() - start) / (played.number - first) * (total - played.number)
            metrics = ", ".join(f"{name} {value:.3f}" for name, value in played.metrics.items())
            answered = f"{played.answered} of {len(nodes)} answered"
            LOGGER.info("round %d of %d: %s, %s, %.0f s left", played.number, total, metrics, answered, left)
            for line in played.faults:
                LOGGER.info("%s", line)
            record = RoundRecord(
                round=played.number,
                rounds=total,
                answered=played.answered,
                metrics=played.metrics,
                faults=played.faults,
            )
            np.save(folder / "model.npy", played.model)
            write_atomic(folder / "rounds" / f"{played.number:08d}.json", json.dumps(record).encode())

    app.main()(main)
    return app


def client_app(spec: Spec, task: Task = build_from_spec, mods: Sequence[Any] = ()) -> ClientApp:
    """Return the ClientApp of a node. `attack` in a node's own configuration makes the node Byzantine."""
    app = ClientApp(mods=list(mods))

    def query(message: Message, context: Context) -> Message:
        settings = Settings.of(spec, context.run_config, context.run_id)
        record: Any = message.content[RECORD]
        worker, attack = int(record[WORKER]), context.node_config.get("attack") or None
        folder = settings.folder(context.node_config, f"worker-{worker}")
        node = Node(folder, lambda: build_station(resolve_numbers(settings.spec, task), worker, task, attack))
        answer = ConfigRecord({BODY: node.handle(record[BODY])})
        return Message(RecordDict({RECORD: answer}), reply_to=message)

    app.query()(query)
    return app
