"""The files of one run: manifest, evaluation log, checkpoints, artifacts; each in one sealed format."""
