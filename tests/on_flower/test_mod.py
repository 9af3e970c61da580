"""The mod on Flower's own ClientApp."""

import numpy as np
import pytest

pytest.importorskip("flwr")

from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Error, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from strategies import Nodes

from holdfast.errors import InvalidInput
from holdfast.flower import AttackMod, RobustStrategy


def client(*mods: AttackMod) -> ClientApp:
    app = ClientApp(mods=list(mods))

    def train(message: Message, context: Context) -> Message:
        if context.node_config.get("fails"):
            return Message(Error(code=0, reason="no data"), reply_to=message)
        model = message.content["arrays"]["w"].numpy() + 1
        content = {"arrays": ArrayRecord({"w": Array(model)}), "metrics": MetricRecord({"num-examples": 3})}
        return Message(RecordDict(content), reply_to=message)

    def evaluate(message: Message, context: Context) -> Message:
        return Message(RecordDict({"metrics": MetricRecord({"accuracy": 0.5})}), reply_to=message)

    app.train()(train)
    app.evaluate()(evaluate)
    return app


def context(**config: int) -> Context:
    return Context(run_id=1, node_id=7, node_config=dict(config), state=RecordDict(), run_config={})


START = ArrayRecord({"w": Array(np.full(2, 10, np.float32))})


def test_a_compromised_node_flips_its_update() -> None:
    strategy = RobustStrategy("median", 1)
    messages = list(strategy.configure_train(1, START, ConfigRecord(), Nodes(5)))
    apps = [client()] * 4 + [client(AttackMod("sign-flip"))]
    replies = [app(message, context()) for app, message in zip(apps, messages, strict=True)]
    assert replies[4].content["arrays"]["w"].numpy().tolist() == [6, 6]
    assert replies[4].content["metrics"]["num-examples"] == 3
    arrays, _ = strategy.aggregate_train(1, replies)
    assert arrays is not None
    assert arrays["w"].numpy().tolist() == [11, 11]


def test_evaluation_and_errors_pass() -> None:
    app, strategy = client(AttackMod("sign-flip")), RobustStrategy("median", 1)
    (evaluated, *_) = strategy.configure_evaluate(1, START, ConfigRecord(), Nodes(3))
    assert app(evaluated, context()).content["metrics"]["accuracy"] == 0.5
    (asked, *_) = strategy.configure_train(1, START, ConfigRecord(), Nodes(3))
    assert app(asked, context(fails=1)).error.reason == "no data"


def test_an_attack_of_several_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a node alone can only mount a LocalAttack; got duplicate"):
        AttackMod("duplicate")


def test_draws_follow_the_partition() -> None:
    (asked, *_) = RobustStrategy("median", 1).configure_train(1, START, ConfigRecord(), Nodes(3))
    app = client(AttackMod("gaussian"))
    lies = [app(asked, context(**{"partition-id": part})).content["arrays"]["w"].numpy().tolist() for part in (0, 0, 1)]
    assert lies[0] == lies[1] != lies[2]
