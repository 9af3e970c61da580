"""Who holds which samples."""

from holdfast.data.partitions.among import Among
from holdfast.data.partitions.assignment import Assignment
from holdfast.data.partitions.base import Partition, Parts
from holdfast.data.partitions.by_label import ByLabel
from holdfast.data.partitions.dirichlet import Dirichlet
from holdfast.data.partitions.feature_noise import FeatureNoise
from holdfast.data.partitions.holdings import Holdings, holdings
from holdfast.data.partitions.iid import Iid
from holdfast.data.partitions.quantity import Quantity
from holdfast.data.partitions.shards import ShardsPerWorker
from holdfast.data.partitions.similarity import Similarity
from holdfast.naming import Family

REGISTRY: dict[str, type[Partition]] = {
    "iid": Iid,
    "by-label": ByLabel,
    "dirichlet": Dirichlet,
    "shards": ShardsPerWorker,
    "similarity": Similarity,
    "quantity": Quantity,
    "feature-noise": FeatureNoise,
    "assignment": Assignment,
}
PARTITIONS: Family[Partition] = Family("partition", REGISTRY, base=Partition)
