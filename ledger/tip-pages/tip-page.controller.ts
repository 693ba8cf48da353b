/** Setting up one's own public tip page. */
import { Body, Controller, Get, Put, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { PrintQuery, PutHandle, PutPublished, PutTipPage, TipPageAnswer } from '#contracts/api/tip-page';
import type { Position } from '#contracts/log';
import type { TipPageWords } from '#contracts/events/tip-page';
import { tipPagePath } from '#contracts/plain/handle';
import { looksLikeUs } from '#contracts/plain/look-alikes';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, ShownProof, type CallProof } from '#edge/proof';
import { Validated } from '#edge/validated';
import { exactKeyOf } from '#log/digest';
import { Vault } from '#log/vault';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { ReadYourWrites } from '../http/read-models.js';
import { Rejected } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { chooseHandle } from './handle-choice.js';
import { handleKeyOf } from './handle.decider.js';
import { ShownTipPages, TipPageAnswers, TipPageLimits, TipPageSettings } from './tip-page-reads.js';
import { tipPage, type TipPageCommand } from './tip-page.decider.js';

@Controller('api/tip-page')
export class TipPageController {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly vault: Vault,
    private readonly answers: TipPageAnswers,
    private readonly readYourWrites: ReadYourWrites,
    private readonly limits: TipPageLimits,
    private readonly pages: ShownTipPages,
    private readonly settings: TipPageSettings,
  ) {}

  @ApiCall({
    summary: 'Claims a handle, under which the tip page stands from then on. Another one needs a proof.',
    answer: TipPageAnswer,
    proof: guarded<PutHandle>(
      'destination',
      ({ body }) => ({ words: `Move my tip page to @${body.handle}` }),
      { isAllowedSome: true },
    ),
    otherwise: {
      400: 'What is wrong with the handle',
      409: 'Somebody else has it, or one that looks like it, or goes by it as a username',
      422: 'So many handles were claimed already',
    },
  })
  @Put('handle')
  async chooseHandle(
    @SignedIn() caller: Caller,
    @Body(new Validated(PutHandle)) { handle }: PutHandle,
    @ShownProof() proof: CallProof,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TipPageAnswer> {
    const { userId, correlationId } = caller;
    const sealed = await this.vault.seal(userId, handle);
    const wanted = {
      ...{ userId, handleKey: handleKeyOf(handle), exactKey: exactKeyOf(handle) },
      ...{ isProven: proof.isGiven, most: this.limits.limits.handles },
    };
    const chosen = chooseHandle(
      this.streams,
      (command) => this.bus.execute(command),
      () => this.pages.isOthersUsername(userId, handle),
      { ...wanted, handle: sealed },
      { correlationId, actorId: userId },
    );
    return this.answer(caller, reply, await orProof(proof, chosen));
  }

  @ApiCall({
    summary: 'Says what the tip page shows, and whether search engines may list it.',
    answer: TipPageAnswer,
    proof: guarded<PutTipPage>(
      'destination',
      ({ body: { stageName, line } }) => ({
        words: `Show ${stageName === '' ? 'my own name' : `“${stageName}”`} on my tip page, with ${line === '' ? 'nothing' : `“${line}”`} under it`,
      }),
      // What a thief writes there, such as another page's address, is what payers go by.
      { isAllowedSome: true },
    ),
    otherwise: {
      400: 'What is wrong with the words',
      409: 'The stage name looks like ours, or like that of another performer in other letters',
    },
  })
  @Put()
  async describe(
    @SignedIn() caller: Caller,
    @Body(new Validated(PutTipPage)) body: PutTipPage,
    @ShownProof() proof: CallProof,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TipPageAnswer> {
    const { userId } = caller;
    const { isListed, stageName, line } = body;
    await this.assertOwnName(userId, stageName);
    const words: TipPageWords = { stageName, line };
    const [sealed, fingerprint] = await Promise.all([
      this.vault.seal(userId, JSON.stringify(words)),
      this.vault.fingerprint(userId, body),
    ]);
    const terms = { isListed, fingerprint, isProven: proof.isGiven };
    const command = { type: 'DescribeTipPage', userId, words: sealed, ...terms } as const;
    return this.answer(caller, reply, await orProof(proof, this.execute(caller, command)));
  }

  @ApiCall({
    summary: 'Publishes the tip page, or takes it back.',
    answer: TipPageAnswer,
    // Until then nobody but its owner has seen what a thief may have written there. Taking it back moves
    // nothing.
    proof: guarded<PutPublished>('destination', () => ({ words: 'Publish my tip page as it is now' }), {
      when: ({ body }) => body.isPublished,
    }),
    otherwise: { 409: 'There is no handle yet; or the name looks like that of another performer' },
  })
  @Put('published')
  async publish(
    @SignedIn() caller: Caller,
    @Body(new Validated(PutPublished)) { isPublished }: PutPublished,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TipPageAnswer> {
    const type = isPublished ? 'PublishTipPage' : 'UnpublishTipPage';
    if (isPublished) await this.assertNoImitation(caller.userId);
    return this.answer(caller, reply, await this.execute(caller, { type, userId: caller.userId }));
  }

  @ApiCall({
    summary: 'The poster, the table card or a sheet of stickers with the code of the tip page, as a PDF.',
    answerType: 'application/pdf',
    otherwise: { 400: 'What is wrong with the kind or the paper', 409: 'There is no handle yet' },
    readsLog: true,
  })
  @Get('print')
  async print(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(PrintQuery)) { kind, paper }: PrintQuery,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { exactKey } = await this.streams.read(tipPage, userId);
    const page = exactKey === undefined ? undefined : await this.pages.byKey(exactKey);
    if (page === undefined) throw new Rejected('NoHandle', { userId });
    const { name, shortName, line, handle } = page;
    const address = `${this.settings.publicUrl}${tipPagePath(handle)}`;
    // What draws a PDF is costly to load: with the first one.
    const { printed } = await import('./print.js');
    const file = await printed({ kind, paper, name, shortName, line, handle, address });
    return reply
      .type('application/pdf')
      .header('content-disposition', `attachment; filename="encore-${kind}-${handle}.pdf"`)
      .send(file);
  }

  /**
   * By the name that the page will show: since it was chosen somebody may have published the one that it
   * looks like.
   */
  private async assertNoImitation(userId: string): Promise<void> {
    const { exactKey } = await this.streams.read(tipPage, userId);
    const page = exactKey === undefined ? undefined : await this.pages.byKey(exactKey);
    if (page) await this.assertOwnName(userId, page.name);
  }

  private async assertOwnName(userId: string, name: string): Promise<void> {
    if (looksLikeUs(name)) throw new Rejected('NameLooksOurs');
    if (await this.pages.isImitation(userId, name)) throw new Rejected('NameLooksTaken');
  }

  private async execute({ userId, correlationId }: Caller, command: TipPageCommand): Promise<Position> {
    const { position } = await this.bus.execute(
      new ExecuteStreamCommand(tipPage, userId, command, { correlationId, actorId: userId }),
    );
    return position;
  }

  private async answer({ userId }: Caller, reply: FastifyReply, position: Position): Promise<TipPageAnswer> {
    await this.readYourWrites.hold(reply, position);
    return this.answers.of(userId);
  }
}

/** What the rules let through with a proof only is refused as a call that lacks one. */
async function orProof<T>(proof: CallProof, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    if (error instanceof Rejected && error.reason === 'ProofNeeded') throw await proof.refusal();
    throw error;
  }
}
