/**
 * Where a ledger is reached. Behind one name there may be several: a caller stays with one of them, and goes
 * to another once that one fails or takes no commands. Left to the resolver it would be the same one each
 * time, since addresses come sorted and connections are kept: one ledger that stands still would stop every
 * job.
 */
import { randomInt } from 'node:crypto';
import dns from 'node:dns';
import { isIP } from 'node:net';
import { hostOf } from '#contracts/plain/host';

export class LedgerAddress {
  readonly #url: URL;
  /** Undefined where the URL names an address itself, or TLS holds it to the name. */
  readonly #name: string | undefined;
  #address: string | undefined;
  #left: string | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
    const host = hostOf(this.#url);
    const isName = this.#url.protocol === 'http:' && isIP(host) === 0;
    this.#name = isName ? host : undefined;
  }

  /** The ledger to ask now. Throws where the name is not known. */
  async present(): Promise<URL> {
    if (this.#name === undefined) return this.#url;
    const addresses = await addressesOf(this.#name);
    // A proxy may know the ledgers by their name.
    if (addresses.length === 1) return this.#url;
    if (this.#address === undefined || !addresses.includes(this.#address))
      this.#address = this.#after(addresses);
    const at = new URL(this.#url);
    at.hostname = isIP(this.#address) === 6 ? `[${this.#address}]` : this.#address;
    return at;
  }

  /** The ledger there is asked no more while there is another. Several calls may say so of one. */
  leave(ledger: URL): void {
    if (hostOf(ledger) !== this.#address) return;
    this.#left = this.#address;
    this.#address = undefined;
  }

  /** The next one after the one that was left; before that any, so that callers spread over all. */
  #after(addresses: readonly string[]): string {
    const at =
      this.#left === undefined
        ? randomInt(addresses.length)
        : addresses.findIndex((address) => address > this.#left!);
    return addresses[at] ?? addresses[0]!;
  }
}

function addressesOf(name: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    dns.lookup(name, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve([...new Set(found.map(({ address }) => address))].sort());
    });
  });
}
