/**
 * Sockets that hold a server's attention and give nothing for it: a connection that says nothing, headers
 * that never end, a body that comes a byte a second, with a length or in pieces. From any address of this
 * machine.
 */
import { connect, type Socket } from 'node:net';

const MANNERS = ['silent', 'headers', 'body', 'pieces'] as const;
type Manner = (typeof MANNERS)[number];

const TRICKLE_MS = 1_000;

const BEGINNINGS: Readonly<Record<Manner, string>> = {
  silent: '',
  headers: 'POST /api/create-payment-intent HTTP/1.1\r\nHost: encore.example\r\nX-Slow: ',
  body: 'POST /api/create-payment-intent HTTP/1.1\r\nHost: encore.example\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{',
  pieces:
    'POST /api/webhooks/stripe HTTP/1.1\r\nHost: encore.example\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
};
const MORE: Readonly<Record<Manner, string>> = {
  silent: '',
  headers: 'a',
  body: ' ',
  pieces: '1\r\n \r\n',
};

export class SlowSockets {
  readonly #open = new Set<Socket>();
  readonly #trickle: NodeJS.Timeout;
  #cut = 0;
  #wake: () => void = () => undefined;

  private constructor() {
    this.#trickle = setInterval(() => {
      for (const socket of this.#open) {
        const more = MORE[mannerOf.get(socket)!];
        if (more !== '' && socket.writable) socket.write(more);
      }
    }, TRICKLE_MS);
  }

  /** `count` sockets, the manners and the addresses in turn. */
  static async open(
    port: number,
    {
      count,
      from,
      manners = MANNERS,
    }: { count: number; from: readonly string[]; manners?: readonly Manner[] },
  ): Promise<SlowSockets> {
    const all = new SlowSockets();
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        all.#begin(port, from[n % from.length]!, manners[n % manners.length]!),
      ),
    );
    return all;
  }

  /** Those that the server has not ended. */
  get open(): number {
    return this.#open.size;
  }
  get cut(): number {
    return this.#cut;
  }

  /** Resolves once the server has ended all of them. */
  async allCut(): Promise<void> {
    while (this.#open.size > 0) await new Promise<void>((wake) => (this.#wake = wake));
  }

  close(): void {
    clearInterval(this.#trickle);
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
    this.#wake();
  }

  #begin(port: number, localAddress: string, manner: Manner): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: false });
      mannerOf.set(socket, manner);
      socket.once('connect', () => {
        this.#open.add(socket);
        if (BEGINNINGS[manner] !== '') socket.write(BEGINNINGS[manner]);
        resolve();
      });
      // What is answered is read, or its end would not be seen.
      socket.resume();
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (this.#open.delete(socket)) this.#cut += 1;
        this.#wake();
        resolve();
      });
    });
  }
}

const mannerOf = new WeakMap<Socket, Manner>();

/** Addresses of this machine's own that are not its usual one. */
export const LOOPBACK_ADDRESSES: readonly string[] = Array.from({ length: 8 }, (_, n) => `127.0.0.${n + 2}`);
