/** Nest's own lines, in our log. */
import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

export class NestLog implements LoggerService {
  constructor(private readonly sink: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.sink.debug({ nest: rest.at(-1) }, String(message));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.sink.warn({ nest: rest.at(-1) }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.sink.error(
      { nest: rest.at(-1), err: message instanceof Error ? message : undefined, stack: rest[0] },
      String(message),
    );
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.sink.fatal({ nest: rest.at(-1) }, String(message));
  }
}
