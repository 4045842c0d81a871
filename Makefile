# Two targets do everything on a fresh machine: `make demo` and `make test`.

VENV := .venv
BIN := $(VENV)/bin
# PyTorch's own index has CPU builds for every platform; PyPI's Linux build brings several GB of CUDA along.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
TORCH := $(shell grep '^torch==' constraints.txt)
# Processes that run tests; each grades with one or two slots of its own.
WORKERS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-full lint bench docs clean system-sandbox system-browser

demo: $(VENV)/.installed system-sandbox
	$(BIN)/grader grade examples/class-mlm --assignment mlm_loss --out demo/mlm_loss --fresh
	$(BIN)/grader grade examples/class --assignment attention --out demo --fresh
	@echo "Open $(CURDIR)/demo/index.html in a browser (and demo/mlm_loss/index.html, the second class)."

test: $(VENV)/.developer system-sandbox system-browser
	$(BIN)/python -m pytest -m "not full" -n $(WORKERS) --dist loadfile

test-full: $(VENV)/.developer system-sandbox system-browser
	$(BIN)/python -m pytest -m full -n $(WORKERS) --dist loadfile

lint: $(VENV)/.developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.developer system-sandbox
	for each in attention corruption mlm_loss tiny_bert; do $(BIN)/python bench/throughput.py $$each || exit 1; done
	$(BIN)/python bench/breakdown.py
	$(BIN)/python bench/check_cold.py
	$(BIN)/python bench/watch.py
	$(BIN)/python bench/confinement.py

docs: $(VENV)/.developer
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) demo dist build

$(VENV)/bin/python:
	@sh tools/make-venv.sh $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml hatch_build.py constraints.txt
	$(BIN)/pip install -q $(TORCH) --index-url $(TORCH_INDEX) --retries 0 --timeout 15 2>/dev/null \
	  || $(BIN)/pip install -q $(TORCH)
	$(BIN)/pip install -q -c constraints.txt -e .
	$(BIN)/python -m compileall -q grader
	@touch $@

$(VENV)/.developer: $(VENV)/.installed
	$(BIN)/pip install -q -c constraints.txt -e '.[dev,cluster,push,similar]'
	@touch $@

# Root on Debian or Ubuntu gets what is missing; anybody else is told what to install.
system-sandbox:
	@sh tools/need.sh bwrap bubblewrap

system-browser:
	@sh tools/need.sh "chromium chromium-browser google-chrome" chromium
