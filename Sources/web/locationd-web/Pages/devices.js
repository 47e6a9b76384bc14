// What the devices of a fleet report, as locationd-fleet lists it: the same rules as those of `locctl fleet`.

/** Devices that are kept: whoever may publish could invent any number. */
const LIMIT = 1000;
/** After the list has ended: each one is a new client of the broker. */
const RETRY_MILLISECONDS = 30_000;

/** Dispatches "change" when a device has reported, and when the connection to the broker has changed. */
export class Devices extends EventTarget {
    /** Of each device, by its name: location, isGone, event, name. */
    devices = new Map();
    /** Why there is no connection to the broker; empty if there is one, undefined if nothing is known yet. */
    state;
    /** Messages that were ignored, dropped or skipped. */
    missed = 0;

    #ignored = 0;
    #dropped = 0;
    #skipped = 0;
    #surplus = 0;
    #source;
    #timer;

    start() {
        if (this.#source !== undefined) return;
        clearTimeout(this.#timer);
        this.#source = new EventSource("/devices");
        this.#source.addEventListener("device", (event) => {
            this.apply(JSON.parse(event.data));
            this.dispatchEvent(new Event("change"));
        });
        this.#source.addEventListener("skipped", (event) => {
            this.#skipped = JSON.parse(event.data).count;
            this.apply({});
            this.dispatchEvent(new Event("change"));
        });
        this.#source.addEventListener("ended", (event) => this.#end(JSON.parse(event.data).reason));
        this.#source.addEventListener("error", () => this.#end(this.state));
    }

    stop() {
        clearTimeout(this.#timer);
        this.#source?.close();
        this.#source = undefined;
    }

    /** One line of locationd-fleet. */
    apply({ report, state, ignored, dropped }) {
        this.state = state ?? this.state;
        this.#ignored = ignored ?? this.#ignored;
        this.#dropped = dropped ?? this.#dropped;
        if (report !== undefined) this.#applyReport(report);
        this.missed = this.#ignored + this.#dropped + this.#skipped + this.#surplus;
    }

    #applyReport(report) {
        if (!this.devices.has(report.device)) {
            if (this.devices.size >= LIMIT) {
                this.#surplus += 1;
                return;
            }
            this.devices.set(report.device, { isGone: false });
        }
        const device = this.devices.get(report.device);
        if (report.kind === "lwt") {
            device.isGone = true;
        } else if (report.kind === "card") {
            device.name = report.name;
        } else {
            // What the broker had kept may be older than the last will.
            if (!report.isRetained) device.isGone = false;
            // An older location that comes later is not taken for new.
            if (device.location?.tst !== undefined && report.tst < device.location.tst) return;
            device.location = report;
            if (report.event !== undefined) device.event = { name: report.event, region: report.desc };
        }
    }

    #end(reason) {
        this.stop();
        this.state = reason;
        this.dispatchEvent(new Event("change"));
        this.#timer = setTimeout(() => this.start(), RETRY_MILLISECONDS);
    }
}

/** Seconds since the fix, by this machine's clock; negative where the device's is ahead. */
export function ageOf({ tst }) {
    return Date.now() / 1000 - tst;
}
