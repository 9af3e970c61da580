"""For users of Flower: rules as a strategy, attacks as a mod, methods as an app."""

from holdfast.errors import InvalidInput

try:
    import flwr as _flwr
except ImportError:
    raise InvalidInput(
        "holdfast.flower needs Flower: pip install 'holdfast[flower]'; got no module named flwr"
    ) from None

from holdfast.flower.apps import client_app, server_app
from holdfast.flower.mod import AttackMod
from holdfast.flower.strategy import RobustStrategy
