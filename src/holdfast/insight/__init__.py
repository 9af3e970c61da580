"""What can be learned about a run besides its score: its workers, the theorems, advice."""
