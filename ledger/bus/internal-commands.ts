/**
 * What workers ask, by kind: each slice says which commands it carries out, and the internal port hands them
 * over here. A command names things by id; what is done about them is decided in the slice and in the
 * journal.
 */
import { Injectable } from '@nestjs/common';
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import type { Provenance } from '#log/record';

type CommandOf<T extends InternalCommand['type']> = Extract<InternalCommand, { type: T }>;

type CarryOut = (command: InternalCommand, provenance: Provenance) => Promise<InternalAnswer | void>;

const DONE: InternalAnswer = { looked: 1, failed: [] };

@Injectable()
export class InternalCommands {
  readonly #slices = new Map<InternalCommand['type'], CarryOut>();

  /**
   * Names the one that carries out commands of a kind. Without an answer of its own, one thing was looked at.
   */
  on<T extends InternalCommand['type']>(
    type: T,
    carryOut: (command: CommandOf<T>, provenance: Provenance) => Promise<InternalAnswer | void>,
  ): this {
    if (this.#slices.has(type)) throw new Error(`${type} is carried out by two slices.`);
    const isOfKind = (command: InternalCommand): command is CommandOf<T> => command.type === type;
    this.#slices.set(type, async (command, provenance) =>
      isOfKind(command) ? carryOut(command, provenance) : undefined,
    );
    return this;
  }

  /** Throws Rejected, Unavailable and ProviderRefused; any of these commands may be sent again. */
  async carryOut(command: InternalCommand, correlationId: string): Promise<InternalAnswer> {
    const carryOut = this.#slices.get(command.type);
    if (carryOut === undefined) throw new Error(`No slice carries out ${command.type}.`);
    return (await carryOut(command, { correlationId, causationId: `worker:${command.type}` })) ?? DONE;
  }
}
