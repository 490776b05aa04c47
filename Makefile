SWIFT ?= swift
SOURCES := Package.swift Sources Tests BankScripts MockBank Examples/Package.swift Examples/Sources

PEERS := .build/peers

.PHONY: demo install uninstall deb mcpb test-packaging release-artifacts test test-docs month first-statement site test-browser test-browser-engine test-peers peers-files page-pictures examples test-sanitizers coverage mutate proofs fuzz torture floods mistakes bench simulate sizes screenshots build release sbom lint format packages api-changes help

demo: build ## Take one request from an agent to a verified PDF, on this machine
	@$(SWIFT) run --skip-build countersign demo

# How many tests run at a time. Without a limit hundreds of servers would start at once, and run out of file descriptors.
TEST_WIDTH ?= 6
TEST_ORDER = $(if $(filter 1,$(TEST_WIDTH)),--no-parallel,--experimental-maximum-parallelization-width $(TEST_WIDTH))

test: packages ## Build and run every test; TEST_WIDTH=1 runs one at a time
	@.ci/packages postgresql
	$(SWIFT) build --build-tests
	.ci/show-failures $(SWIFT) test --skip-build $(TEST_ORDER)

test-docs: build ## Run every command in the documentation, and check its links
	@.ci/packages python3 curl jq openssl
	.ci/test-docs
	@folder=$$(mktemp -d) && .ci/site $$folder/site; status=$$?; rm -r $$folder; exit $$status

month: build ## Play a month of a household with its own banks, and record each line in .build/month.txt
	@.ci/packages python3 openssl
	Tests/Month/month || [ $$? = 77 ]

first-statement: build ## Time the way to the first own statement, with what reading adds; PACKAGE= measures a Debian package
	@.ci/packages python3 openssl
	Tests/Month/first-statement $(PACKAGE) || [ $$? = 77 ]

SITE ?= .build/site

site: ## Static pages of the documentation in SITE, made without a network
	@.ci/packages python3
	@rm -rf $(SITE)
	@.ci/site $(SITE)

test-browser: packages ## Test our pages and recordings with a headless Chromium
	@.ci/packages chromium chromium-driver python3
	$(SWIFT) build --build-tests
	COUNTERSIGN_CHROMEDRIVER=$$(command -v chromedriver) .ci/show-failures $(SWIFT) test --skip-build --no-parallel --filter InBrowserTests --skip '$(BROWSER_ENGINE_TESTS)'

# Apart from test-browser: these take three minutes more.
BROWSER_ENGINE_TESTS := MatrixInBrowserTests|HostilePageInBrowserTests|HostileBankInBrowserTests|LiveRecordingInBrowserTests|AttachedSignInInBrowserTests|LocatingInBrowserTests|AccessibleNamesInBrowserTests|WebPlatformTestsInBrowserTests|KilledRunInBrowserTests|CoreDumpsInBrowserTests|BrowserTakeoverInBrowserTests|FailuresInBrowserTests|DialogsInBrowserTests|UnfitAnswersInBrowserTests|FramesInBrowserTests|ForbiddenNamespacesInBrowserTests|PrintingInBrowserTests|PagePictureInBrowserTests|CancelledRunInBrowserTests|ActionabilityInBrowserTests|FillingInBrowserTests|WindowsInBrowserTests|WatchingInBrowserTests|DocumentsInBrowserTests|MadeControlsInBrowserTests|CodeFieldsInBrowserTests

test-browser-engine: packages ## Run the script matrix, and hostile pages, users and drivers with Chromium as the engine
	@.ci/packages chromium chromium-driver util-linux perl
	$(SWIFT) build --build-tests
	COUNTERSIGN_CHROMEDRIVER=$$(command -v chromedriver) .ci/show-failures $(SWIFT) test --skip-build --no-parallel --filter '$(BROWSER_ENGINE_TESTS)'

test-peers: packages ## Test against programs by others, from PyPI, in a virtual environment
	@.ci/packages python3 python3-venv hledger ledger zbar-tools qrencode libjpeg-turbo-progs dbus avahi-daemon avahi-utils prometheus chromium chromium-driver
	@[ -x $(PEERS)/bin/pip ] || python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement Tests/Peers/requirements.txt
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement Tests/Peers/requirements-alone.txt
	$(SWIFT) build --build-tests
	COUNTERSIGN_PEERS=$(CURDIR)/$(PEERS)/bin/python COUNTERSIGN_CHROMEDRIVER=$$(command -v chromedriver) .ci/with-avahi \
		.ci/show-failures $(SWIFT) test --skip-build --no-parallel --filter PeerTests

peers-files: build ## Compare the transaction files in FOLDER with what libraries by others read, and check the journals made of them
	@[ -n "$(FOLDER)" ] || { echo "name the folder: make peers-files FOLDER=files"; exit 2; }
	@.ci/packages python3 python3-venv hledger ledger
	@[ -x $(PEERS)/bin/pip ] || python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement Tests/Peers/requirements.txt
	@status=0; $(PEERS)/bin/python Tests/Peers/journals.py files .build/debug/countersign $(FOLDER) || status=1; \
		$(PEERS)/bin/python Tests/Peers/transaction_files.py compare .build/debug/countersign $(FOLDER) || status=1; exit $$status

FUZZ_SECONDS ?= 600

fuzz: packages ## Fuzz every reader of untrusted input for FUZZ_SECONDS in all; TARGET=name selects one
	FUZZ_SECONDS=$(FUZZ_SECONDS) TARGET=$(TARGET) SWIFT=$(SWIFT) Tests/Fuzz/run

# The other examples are built in this package too, where they see public API only; all of them from outside take five
# minutes more.
EXAMPLE ?= ExampleBank

examples: packages ## Build an example as a separate package, and run the example program
	$(SWIFT) build --package-path Examples --target $(EXAMPLE)
	$(SWIFT) build --product countersign
	$(SWIFT) build --product own-countersign
	.ci/test-examples

test-sanitizers: packages ## Every test under AddressSanitizer, then under ThreadSanitizer
	SWIFT=$(SWIFT) Tests/Sanitizers/run

coverage: packages ## Run every test and print how many lines of each target ran
	@.ci/packages python3 postgresql
	SWIFT=$(SWIFT) TEST_WIDTH=$(TEST_WIDTH) .ci/coverage

mutate: packages ## Change the source in small ways and count the changes that tests notice; MODULE=Signer selects one
	@.ci/packages python3
	SWIFT=$(SWIFT) Tests/Mutants/run $(MUTATE_FLAGS) $(MODULE)

proofs: ## Prove the models of the protocol with ProVerif, and find the seeded faults; PROVERIF names the program
	@.ci/packages python3 patch
	@docs/proofs/run

torture: packages ## Kill, break, flood and mislead broker and phone; TORTURE_MINUTES=5 for a short form
	@.ci/packages strace faketime
	$(SWIFT) build --product countersign
	$(SWIFT) build --product torture
	.build/debug/torture $(if $(TORTURE_MINUTES),--minutes $(TORTURE_MINUTES)) $(TORTURE_FLAGS)

floods: packages ## Flood the four servers while an owner works beside, and print a row for each; on a machine that does nothing else
	$(SWIFT) build --build-tests
	COUNTERSIGN_FLOODS=1 $(SWIFT) test --skip-build --no-parallel --filter UnderFloodTests

mistakes: packages ## Make each mistake of the table at the command line, and run each command line that we print, also in households
	$(SWIFT) build --build-tests
	COUNTERSIGN_ALL_MISTAKES=1 $(SWIFT) test --skip-build --filter "UserMistakesTests|PrintedCommandsRunTests"

bench: packages ## Measure beside the alternatives, and write the tables into Benchmarks/RESULTS.md
	@.ci/packages chromium python3 python3-venv sqlite3 libgumbo-dev
	Benchmarks/measure

sizes: ## Print lines, targets, public declarations, packages and the binary's size at each release and now
	@.ci/packages python3
	@.ci/growth

simulate: packages ## Simulate an assistant with many users, and write the table into Benchmarks/ASSISTANT.md; SIZES selects some
	@.ci/packages postgresql
	SWIFT=$(SWIFT) Benchmarks/simulate $(SIZES)

screenshots: build ## Take the README's pictures from the running program
	@.ci/packages chromium chromium-driver fonts-liberation python3
	.ci/screenshots

PICTURES ?= .build/screenshots

page-pictures: packages ## Picture every state of both pages in PICTURES: three sizes, light and dark
	@.ci/packages chromium chromium-driver fonts-liberation python3
	@mkdir -p $(PICTURES)
	$(SWIFT) build --build-tests
	COUNTERSIGN_CHROMEDRIVER=$$(command -v chromedriver) COUNTERSIGN_SCREENSHOTS=$(abspath $(PICTURES)) \
		$(SWIFT) test --skip-build --no-parallel --filter PicturesInBrowserTests

build: packages
	$(SWIFT) build --product countersign

release: packages ## An optimised binary in .build/release/countersign, its bill of materials and checksums
	$(SWIFT) build -c release $$(.ci/release-flags) --product countersign
	@.ci/packages python3
	.ci/sbom .build/release/countersign .build/release

sbom: ## The bill of materials and checksums of the program in .build/release
	.ci/sbom .build/release/countersign .build/release

# Where `make install` puts things; DESTDIR goes before it, for packages.
PREFIX ?= /usr/local
PROGRAM ?= .build/release/countersign

install: ## Install PROGRAM with its manual pages, completions and services in PREFIX
	@Packaging/install $(PROGRAM) $(PREFIX) $(DESTDIR)

uninstall: ## Remove what make install wrote
	@Packaging/install --remove $(PREFIX) $(DESTDIR)

deb: ## A Debian package of PROGRAM in .build/packages, with its debug symbols beside it
	@.ci/packages python3 dpkg-dev binutils
	@Packaging/deb $(PROGRAM) .build/packages

mcpb: ## A bundle of the MCP server of PROGRAM in .build/packages; MCP_NAME and DOWNLOADS add its registry entry, IMAGE the container in it
	@.ci/packages python3
	@Packaging/mcpb $(PROGRAM) .build/packages $(MCP_NAME) $(DOWNLOADS) $(IMAGE)

release-artifacts: ## Package, tarball, checksums, bill of materials and notes for VERSION; SIGNING_KEY signs them
	@.ci/packages python3 dpkg-dev binutils openssh-client
	@Packaging/release-artifacts $(PROGRAM) $(VERSION) .build/artifacts/$(VERSION) $(SIGNING_KEY)

test-packaging: build ## Check manual pages, completions, services, installation and removal
	@.ci/packages python3 mandoc
	.ci/test-packaging

api-changes: packages ## Compare the public API with BASELINE; by default the revision in .ci/api-baseline
	$(SWIFT) package diagnose-api-breaking-changes $(or $(BASELINE),$(shell cat .ci/api-baseline))

lint: ## Check the format of every Swift file
	$(SWIFT) format lint --strict --recursive $(SOURCES)

format: ## Format every Swift file in place
	$(SWIFT) format --in-place --recursive $(SOURCES)

packages:
	@.ci/packages

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 22
