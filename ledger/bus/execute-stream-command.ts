/** The one way to ask a stream: every decider that is not the journal's gets its commands here. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { DomainEvent } from '#contracts/events/index';
import type { Provenance } from '#log/record';
import { StreamRunner, type Decider, type Outcome } from '../streams/runner.js';
import { Patience } from '../patience.js';
import { handled } from './handled.js';
import { LOG } from '../parts.js';

/** Carries a command to the decider of a stream; `id` is what the stream is named by. */
export class ExecuteStreamCommand<
  State,
  StreamCommand extends { readonly type: string },
  Event extends DomainEvent,
> extends Command<Outcome<State, Event>> {
  constructor(
    readonly decider: Decider<State, StreamCommand, Event>,
    readonly id: string,
    readonly command: NoInfer<StreamCommand>,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

type AnyStreamCommand = ExecuteStreamCommand<unknown, { readonly type: string }, DomainEvent>;

@CommandHandler(ExecuteStreamCommand)
export class StreamCommandHandler implements ICommandHandler<AnyStreamCommand> {
  constructor(
    private readonly streams: StreamRunner,
    private readonly patience: Patience,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({ decider, id, command, provenance }: AnyStreamCommand): Promise<Outcome<unknown, DomainEvent>> {
    const { correlationId } = provenance;
    return handled({ command: command.type, correlationId, log: this.log, patience: this.patience }, () =>
      this.streams.execute(decider, id, command, provenance),
    );
  }
}
