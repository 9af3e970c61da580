"""Ray as a transport. What it trusts is in docs/security.md."""

from holdfast.engines.ray.cluster import Cluster
from holdfast.engines.ray.ray_transport import INLINE, RayTransport
