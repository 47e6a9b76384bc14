// How old a location is now. The daemon sends its age; what passes after that is measured here.

/** Seconds after which a location is shown as old. */
export const OLD_AFTER = 10;

/** How much faster one clock may run than the other, seconds a second: then the delay is measured anew, not added up. */
const CLOCK_DRIFT = 2e-4;

/** Seconds of two clocks: one that is never set, and the time of day, which also counts while the machine is asleep. */
export const systemClocks = { steady: () => performance.now() / 1000, wall: () => Date.now() / 1000 };

/**
 * Computes ages over one connection. A page that was frozen reads all that was sent meanwhile at once, so the age at
 * sending is not enough: how late a location arrives, beyond the least delay seen, counts too.
 */
export class AgeKeeper {
    #clocks;
    #leastDelay;
    #measuredAt;

    constructor(clocks = systemClocks) {
        this.#clocks = clocks;
    }

    /** A new connection: the daemon's clock may be another one. */
    restart() {
        this.#leastDelay = undefined;
    }

    /** Stamps a location that has just arrived. The stamp is what `age` takes. */
    stamp({ age, monotonicTime }) {
        const now = { steady: this.#clocks.steady(), wall: this.#clocks.wall() };
        const delay = now.steady - (monotonicTime + age);
        const drift = this.#leastDelay === undefined ? 0 : (now.steady - this.#measuredAt) * CLOCK_DRIFT;
        const least = Math.min(delay, (this.#leastDelay ?? delay) + drift);
        this.#leastDelay = least;
        this.#measuredAt = now.steady;
        return { ...now, age: age + delay - least };
    }

    /** Seconds, by whichever clock counted more: too old is the safe mistake. */
    age(stamp) {
        const passed = Math.max(this.#clocks.steady() - stamp.steady, this.#clocks.wall() - stamp.wall, 0);
        return stamp.age + passed;
    }
}
