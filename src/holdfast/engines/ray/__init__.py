"""Ray as a transport. docs/security.md says what it trusts."""

from holdfast.engines.ray.cluster import Cluster
from holdfast.engines.ray.ray_transport import INLINE, RayTransport
