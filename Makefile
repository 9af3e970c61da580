# Two commands set everything up: `make demo` and `make test`. Each builds .venv first.
PYTHON ?= python3
BIN := .venv/bin
CONSTRAINTS := requirements/constraints.txt
ON_RAY := tests/examples/test_extensions.py::test_on_ray_with_the_bits_of_the_simulation

.PHONY: demo picture environments test test-torch test-ray test-flower test-peers check fuzz faults mutations claims reproduction yardsticks suspicion lint format bench clean

.venv/installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[test,lint]'
	touch $@

demo: .venv/installed  ## RSA and its rivals under every attack on embedded data
	$(BIN)/holdfast demo

picture: .venv/installed  ## the picture of the README, drawn by the demo
	$(BIN)/holdfast demo --out runs/picture
	cp runs/picture/worst-by-label-q=8.png docs/hold.png

environments: .venv/torch .venv/ray .venv/browser .venv-flower/installed .venv-bench/installed  ## all installs at once

.venv/torch: EXTRAS = torch,images
.venv/ray: EXTRAS = ray
.venv/browser: EXTRAS = browser
.venv/torch .venv/ray .venv/browser: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[$(EXTRAS)]'
	touch $@

test: .venv/installed  ## everything that must hold; what concerns Ray: make test-ray; kernels for other processors: make check
	$(BIN)/pytest -n 2 --dist worksteal --ignore tests/on_ray --ignore tests/torch_models/test_networks_on_ray.py \
		--deselect $(ON_RAY) --ignore tests/kernels/test_same_bits.py

test-torch: .venv/torch  ## what concerns PyTorch, tensors and networks; installs the pinned build
	$(BIN)/pytest tests/kernels/test_tensors.py tests/torch_models docs/torch.md tests/federation/test_torch_task.py

test-ray: .venv/ray  ## what concerns the Ray engine; installs the pinned version
	$(BIN)/pytest tests/on_ray tests/torch_models/test_networks_on_ray.py $(ON_RAY)

test-peers: .venv-bench/installed  ## our members against those of ByzFL, ByzPy and Flower, in the benchmarks' environment
	.venv-bench/bin/python -m pytest tests/peers

test-flower: .venv-flower/installed  ## what concerns Flower, in an environment of its own
	.venv-flower/bin/pytest tests/on_flower

.venv-flower/installed: pyproject.toml requirements/flower.txt
	$(PYTHON) -m venv .venv-flower
	.venv-flower/bin/pip install --quiet --disable-pip-version-check -r requirements/flower.txt -e '.[flower]'
	touch $@

check: .venv/browser  ## what is promised about MNIST; fetches it once, takes minutes
	$(BIN)/pytest checks tests/kernels/test_same_bits.py -rA

fuzz: .venv/installed  ## a million random and mutated frames
	$(BIN)/python checks/fuzz_wire.py

faults: .venv/installed  ## crashes, I/O errors, kills, two owners and flipped bits at run folders; about 5 minutes
	cd checks && ../$(BIN)/python -m faults

mutations: .venv/installed  ## change rules, stages and attacks in every small way: does a test notice?
	cd checks && ../$(BIN)/python -m mutations

claims: .venv/installed  ## the paper and others' claims in short on MNIST; fails if a verdict is not the one on record
	rm -rf runs/claims runs/claims-of-others
	$(BIN)/holdfast reproduce --quick --out runs/claims --expect checks/verdicts-quick.toml
	$(BIN)/holdfast reproduce label-poisoning duplication --quick --out runs/claims-of-others --expect docs/reproduction/yardsticks.toml

reproduction: .venv/installed  ## the paper in full on MNIST, into docs/reproduction.md; about 7 minutes
	rm -rf runs/reproduction
	$(BIN)/holdfast reproduce --out runs/reproduction
	mkdir -p docs/reproduction
	cp runs/reproduction/reproduction.md runs/reproduction/verdicts.toml docs/
	mv docs/verdicts.toml docs/reproduction/
	cp runs/reproduction/reproduction/*.png docs/reproduction/

yardsticks: .venv/installed  ## what other papers claim, in full on MNIST, into docs/yardsticks.md; 8 minutes of one core
	rm -rf runs/yardsticks
	$(BIN)/holdfast reproduce label-poisoning duplication --out runs/yardsticks
	cp runs/yardsticks/reproduction.md docs/yardsticks.md
	cp runs/yardsticks/verdicts.toml docs/reproduction/yardsticks.toml
	cp runs/yardsticks/reproduction/*.png docs/reproduction/

suspicion: .venv/installed  ## how often Byzantine workers are told by their messages, into docs/workers.md; about an hour
	$(BIN)/python checks/suspicion_rates.py

lint: .venv/installed  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv-bench/installed  ## measure against NumPy, torch, ByzFL, ByzPy and Flower; about a quarter of an hour
	.venv-bench/bin/python -m benchmarks --markdown benchmarks/results.md

.venv-bench/installed: pyproject.toml $(CONSTRAINTS) benchmarks/install.sh benchmarks/requirements.txt
	PYTHON=$(PYTHON) sh benchmarks/install.sh

format: .venv/installed  ## let the tools decide taste
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .venv-bench .venv-flower demo runs dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
