"""Partitions: which worker holds which samples."""

from holdfast.data.partitions.assignment import Assignment
from holdfast.data.partitions.label_skew import ByLabel, Dirichlet, ShardsPerWorker, Similarity
from holdfast.data.partitions.partition import Among, Holdings, Iid, Partition, Parts, holdings
from holdfast.data.partitions.sample_skew import FeatureNoise, Quantity
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
