/**
 * One reading at a time of each thing at the provider. Whoever asks while one is under way waits for it, and
 * for one more after it, since the first may have looked before what they were told of had happened; all who
 * wait share that one.
 */

interface Reading {
  readonly began: number;
  readonly done: Promise<number>;
}

export class PaymentReads {
  readonly #underWay = new Map<string, Reading>();
  #moment = 0;

  /**
   * Answers what `read` does, or a reading of the same name that began after this was called. `isNeedless` is
   * asked after a wait: then nothing more is read, and undefined is answered.
   */
  async once(
    name: string,
    read: () => Promise<number>,
    isNeedless: () => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<number | undefined> {
    const asked = ++this.#moment;
    for (;;) {
      const current = this.#underWay.get(name);
      if (!current) return this.#begin(name, read);
      if (current.began > asked) return current.done;
      await current.done.catch(() => undefined);
      if (await isNeedless()) return undefined;
    }
  }

  #begin(name: string, read: () => Promise<number>): Promise<number> {
    const began = ++this.#moment;
    const done = read().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, { began, done });
    return done;
  }
}
