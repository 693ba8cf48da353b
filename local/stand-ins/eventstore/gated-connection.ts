/**
 * A connection that can be stopped as a stopped process stops it: it stays open, what arrives is not read,
 * and nothing is sent, not even by HTTP/2 itself (a ping stays unanswered).
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export class GatedConnection extends Duplex {
  private readonly waiting: (() => void)[] = [];
  private wantsMore = false;

  constructor(
    private readonly socket: Socket,
    private stopped: boolean,
  ) {
    super();
    socket.setNoDelay(true);
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      this.wantsMore = this.push(chunk);
      if (!this.wantsMore) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  stop(): void {
    this.stopped = true;
    this.socket.pause();
  }

  goOn(): void {
    this.stopped = false;
    if (this.wantsMore) this.socket.resume();
    for (const act of this.waiting.splice(0)) act();
  }

  /** Ends it as the system ends the connections of a killed process. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Ends it in order, once what was given to it is sent. */
  close(): void {
    this.socket.destroySoon();
  }

  override _read(): void {
    this.wantsMore = true;
    if (!this.stopped) this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.whenOpen(() => this.socket.write(chunk, done));
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.whenOpen(() => {
      this.socket.cork();
      for (const [index, { chunk }] of chunks.entries())
        this.socket.write(chunk, index === chunks.length - 1 ? done : undefined);
      this.socket.uncork();
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    this.whenOpen(() => this.socket.end(() => done()));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.waiting.length = 0;
    this.socket.destroy();
    done(error);
  }

  private whenOpen(act: () => void): void {
    if (this.stopped) this.waiting.push(act);
    else act();
  }
}
