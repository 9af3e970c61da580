"""Data sets, and partitions among the workers."""

from holdfast.data.dataset import Dataset, Source
from holdfast.data.partitions import (
    PARTITIONS,
    Among,
    Assignment,
    ByLabel,
    Dirichlet,
    FeatureNoise,
    Holdings,
    Iid,
    Partition,
    Quantity,
    ShardsPerWorker,
    Similarity,
    holdings,
)
from holdfast.data.sources import FETCHED, FILE_TYPES, REGISTRY, SETS, Data, as_source, describe, load, look_beside
from holdfast.data.tables.column_layout import Column, Encoded, Layout
from holdfast.data.tables.table_options import TABLE_TYPES, Table
from holdfast.data.tables.typed_tables import is_frame, read_frame
