/**
 * Where in the world an address is, by a file that whoever runs the ledger has; without one there are no
 * places.
 */
import { isIP } from 'node:net';
import { open, type CityResponse, type Reader } from 'maxmind';
import { bareAddress } from '#edge/address';

export class Places {
  private constructor(private readonly reader: Reader<CityResponse> | undefined) {}

  /** Reads an MMDB file of cities, and reads it again when it is replaced. Throws for a file that is none. */
  static async open(file: string | undefined): Promise<Places> {
    if (file === undefined) return new Places(undefined);
    return new Places(
      await open<CityResponse>(file, { watchForUpdates: true, watchForUpdatesNonPersistent: true }),
    );
  }

  /** The city, else the country, in English; undefined where the file has neither. */
  of(address: string): string | undefined {
    const plain = bareAddress(address);
    if (this.reader === undefined || isIP(plain) === 0) return undefined;
    const found = this.reader.get(plain);
    return found?.city?.names.en ?? found?.country?.names.en;
  }
}
