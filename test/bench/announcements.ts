/** From a write to its row: what the read models announce after their commits, and when it was heard. */
import pg from 'pg';
import { comparePositions, positionFrom, START, type Position } from '#contracts/log';
import { PROJECTED_CHANNEL } from '#projections/engine/database';

/** When the read models announced to have passed which place. */
export class Announcements {
  readonly #notes: { position: Position; at: number }[] = [];

  private constructor(private readonly client: pg.Client) {}

  static async listen(databaseUrl: string): Promise<Announcements> {
    const client = new pg.Client({ connectionString: databaseUrl });
    const heard = new Announcements(client);
    client.on('notification', ({ payload = '' }) => {
      heard.#notes.push({ position: positionFrom(payload), at: performance.now() });
    });
    await client.connect();
    await client.query(`listen ${PROJECTED_CHANNEL}`);
    return heard;
  }

  /** Waits until this place was announced here, too: another connection may hear of it earlier. */
  async hears(position: Position): Promise<void> {
    while (comparePositions(this.#notes.at(-1)?.position ?? START, position) < 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** When a GET would first have shown what stands at this place. Throws when nobody ever said so. */
  passed(position: Position): number {
    let [low, high] = [0, this.#notes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comparePositions(this.#notes[middle]!.position, position) >= 0) high = middle;
      else low = middle + 1;
    }
    const note = this.#notes[low];
    if (!note) throw new Error('The read models never announced this place.');
    return note.at;
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
