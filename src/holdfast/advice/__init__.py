"""What the data say before a run: how workers differ, what to set, what is promised: `holdfast advise`."""

from holdfast.advice.advice import Advice, advise
from holdfast.advice.heterogeneity import Heterogeneity
