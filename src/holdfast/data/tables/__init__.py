"""Tables as people have them: files of text, Parquet, frames of pandas, bunches of scikit-learn."""
