/**
 * Connections to Postgres that stay open and pass nothing on, as after a host that broke or a firewall that
 * forgot them.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What lies between a process and Postgres: it may go on holding connections and pass nothing on. */
export class SilentConnections {
  #server: Server | undefined;
  readonly #open = new Set<Socket>();
  #silent = new Set<Socket>();
  /** How many connections were made through it. */
  made = 0;

  /** The address under which that database is reached through it. */
  async to(databaseUrl: string): Promise<string> {
    const { hostname, port } = new URL(databaseUrl);
    this.#server = createServer((near) => {
      this.made += 1;
      const far = connect(Number(port), hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => !this.#silent.has(one) && other.destroy());
        one.on('data', (bytes) => !this.#silent.has(one) && other.write(bytes));
      }
    });
    await new Promise<void>((listening) => this.#server?.listen(0, '127.0.0.1', listening));
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Nothing passes on the connections that are open now, nor is anybody heard who closes one. */
  forgetThem(): void {
    this.#silent = new Set(this.#open);
    for (const socket of this.#silent) socket.pause();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((closed) => this.#server?.close(closed));
  }
}
