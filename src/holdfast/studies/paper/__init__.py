"""The paper's numerical section as a study, and yardsticks of others: figures, findings, claims."""
