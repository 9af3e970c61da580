"""The page of a single run: how it ended, how it learnt, worker by worker."""

from holdfast.insight.inspection import Inspection
from holdfast.report.holdings_chart import holdings_chart
from holdfast.report.rendering import render
from holdfast.report.run_charts import disagreement_chart, inner_life, learning
from holdfast.report.settings import setting
from holdfast.report.worker_rows import known_columns, remarks
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name, model_text
from holdfast.runs.verdicts import Score, score_of
from holdfast.watching.suspicion import SUSPICION_THRESHOLD


def run_page(inspection: Inspection) -> str:
    """Return the whole page."""
    spec, history, workers = inspection.spec, inspection.history, inspection.workers
    ended = f"evaluated up to round {history[-1].round if history else 0} of {spec.rounds}"
    recorded = any(each.suspicion for each in workers)
    score, method = score_of([inspection]), spec.method_name
    head, rows = known_columns(workers)
    return render(
        "run.html",
        held=holdings_chart([spec]),
        title=", ".join(_about(spec)),
        headline=headline(inspection, score),
        conclusions=[line for line in (inspection.verdict, _found_out(inspection)) if line],
        about=f"{inspection.folder}: {spec.workers} workers, seed {spec.seed}, {ended}",
        flags=setting(spec),
        notes=inspection.notes,
        learning=learning(method, history, score, _ceiling(inspection)) if history else None,
        inner=inner_life(method, history, score) if history else None,
        remarks=remarks(workers),
        head=head,
        rows=rows,
        marked=[
            (place, len(head) - 1)
            for place, each in enumerate(workers)
            if each.suspicion and (each.suspicion.suspected or each.suspicion.copied)
        ],
        threshold=SUSPICION_THRESHOLD,
        disagreement=disagreement_chart(inspection) if recorded else None,
    )


def _about(spec: Spec) -> list[str]:
    model = [] if spec.model is None else [model_text(spec.model)]
    return [f"{spec.method_name} on {data_name(spec.data)}", *model, spec.partition_text, f"attack {spec.attack_text}"]


def headline(inspection: Inspection, score: Score) -> str:
    """Return how the run ended, and against whom, in one sentence."""
    spec, history, result = inspection.spec, inspection.history, inspection.result
    against = _against(spec)
    if result is not None and result.get("diverged") is not None:
        return f"{spec.method_name} diverged at round {result['diverged']}{against}."
    value = score.of(history[-1]) if history else None
    if value is None:
        return f"Nothing is measured yet: {spec.method_name} is not at its first evaluation{against}."
    ceiling = _ceiling(inspection)
    limited = score.name == "accuracy" and ceiling is not None and ceiling < 1
    possible = f" of a possible {score.text(ceiling)}" if limited else ""
    reached = f"{'' if score.name == 'accuracy' else f'{score.called} '}{score.text(value)}{possible}"
    if result is None:
        return (
            f"Not over: {spec.method_name} is at {reached} after round {history[-1].round} of {spec.rounds}{against}."
        )
    return f"{spec.method_name} ends at {reached}{against}."


def _against(spec: Spec) -> str:
    if spec.attack is None or not spec.q:
        return ", and nobody attacks"
    return f", while {spec.q} of {spec.workers} workers attack ({spec.attack_text})"


def _ceiling(inspection: Inspection) -> float | None:
    """Return the accuracy that nobody can exceed, which is known once the run is over."""
    found: float | None = (inspection.result or {}).get("ceiling")
    return found


def _found_out(inspection: Inspection) -> str:
    """Return how many workers look suspect by their messages, and how many of them rightly so."""
    judged = [(each.byzantine, each.suspicion) for each in inspection.workers if each.suspicion]
    counts = {
        byzantine: (sum(found.suspected or found.copied for lies, found in judged if lies == byzantine), total)
        for byzantine in (True, False)
        if (total := sum(lies == byzantine for lies, _ in judged))
    }
    if not counts:
        return ""
    names = {True: "Byzantine", False: "honest"}
    said = " and ".join(f"{some} of {total} {names[byzantine]} workers" for byzantine, (some, total) in counts.items())
    return f"By their messages alone, {said} look suspect."
