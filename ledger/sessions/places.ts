/**
 * Where in the world an address is, by a file that whoever runs the ledger has; without one there are no
 * places.
 */
import { unwatchFile, watchFile } from 'node:fs';
import { isIP } from 'node:net';
import { open, type CityResponse, type Reader } from 'maxmind';
import { bareAddress } from '#edge/address';

const LOOK_EVERY_MS = 5_000;

interface PlacesWatch {
  /** How often it is looked whether the file was replaced. */
  readonly lookEveryMs?: number;
  /** Told of a file that took the place of the one before and cannot be read. */
  readonly onUnreadable?: (why: string) => void;
}

export class Places {
  private constructor(private reader: Reader<CityResponse> | undefined) {}

  /**
   * Reads an MMDB file of cities, and reads it again when it is replaced: half of a file, as a download that
   * is under way has written it, takes the place of nothing. Throws for a file that is none.
   */
  static async open(
    file: string | undefined,
    { lookEveryMs = LOOK_EVERY_MS, onUnreadable = () => undefined }: PlacesWatch = {},
  ): Promise<Places> {
    if (file === undefined) return new Places(undefined);
    const places = new Places(undefined);
    // One after the other, so that the newest counts in the end. The library would watch the file itself, and
    // what it fails at there ends the process.
    let reading: Promise<void> = Promise.resolve();
    const replaced = (): void => {
      reading = reading
        .then(() => places.read(file))
        .catch((error: unknown) => onUnreadable(error instanceof Error ? error.message : String(error)));
    };
    // Before it is read: what changes while it is must be noticed.
    watchFile(file, { interval: lookEveryMs, persistent: false }, replaced);
    try {
      await places.read(file);
    } catch (error) {
      unwatchFile(file, replaced);
      throw error;
    }
    return places;
  }

  /**
   * The city, else the country, in English; undefined where the file has neither, or is damaged there. A
   * request does not fail for a place.
   */
  of(address: string): string | undefined {
    const plain = bareAddress(address);
    if (this.reader === undefined || isIP(plain) === 0) return undefined;
    try {
      const found = this.reader.get(plain);
      return englishName(found?.city) ?? englishName(found?.country);
    } catch {
      return undefined;
    }
  }

  private async read(file: string): Promise<void> {
    this.reader = await open<CityResponse>(file);
  }
}

/** Whoever else makes such files may name a place in another form. */
function englishName(place: object | string | undefined): string | undefined {
  const { names } = Object(place) as { readonly names?: { readonly en?: unknown } };
  return typeof names?.en === 'string' ? names.en : undefined;
}
