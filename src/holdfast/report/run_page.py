"""The page of a single run."""

from holdfast.experiments.forensics import SUSPICION_THRESHOLD
from holdfast.experiments.inspection import Inspection
from holdfast.experiments.spec import data_text
from holdfast.report.rendering import render
from holdfast.report.run_charts import disagreement_chart, learning
from holdfast.report.settings import setting
from holdfast.report.worker_rows import HEAD, remarks, row


def run_page(inspection: Inspection) -> str:
    """Return the whole page."""
    spec, history, workers = inspection.spec, inspection.history, inspection.workers
    ended = f"evaluated up to round {history[-1].round if history else 0} of {spec.rounds}"
    recorded = any(each.suspicion for each in workers)
    return render(
        "run.html",
        title=f"{spec.method_name} on {data_text(spec.data)}, {spec.partition_text}, attack {spec.attack_text}",
        about=f"{inspection.folder}: {spec.workers} workers, seed {spec.seed}, {ended}",
        flags=setting(spec),
        notes=inspection.notes,
        learning=learning(spec.method_name, history).to_dict() if history else None,
        remarks=remarks(workers),
        head=HEAD,
        rows=[row(each) for each in workers],
        threshold=SUSPICION_THRESHOLD,
        disagreement=disagreement_chart(inspection).to_dict() if recorded else None,
    )
