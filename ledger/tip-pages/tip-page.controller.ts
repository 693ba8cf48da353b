/** Setting up one's own public tip page. */
import { Body, Controller, Get, Put, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { PrintQuery, PutHandle, PutPublished, PutTipPage, TipPageAnswer } from '#contracts/api/tip-page';
import type { Position } from '#contracts/log';
import type { TipPageWords } from '#contracts/events/tip-page';
import { tipPagePath } from '#contracts/plain/handle';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, ShownProof, unguarded, type CallProof } from '#edge/proof';
import { Validated } from '#edge/validated';
import { Vault } from '#log/vault';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { ReadYourWrites } from '../http/read-models.js';
import { Rejected } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { exactKeyOf, handleKeyOf, handles } from './handle.decider.js';
import { printed } from './print.js';
import { ShownTipPages, TipPageAnswers, TipPageLimits, TipPageSettings } from './tip-page-reads.js';
import { assertMayChoose, tipPage, type TipPageCommand } from './tip-page.decider.js';

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
      409: 'Somebody else has it, or one that looks like it',
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
    const [handleKey, exactKey] = [handleKeyOf(handle), exactKeyOf(handle)];
    const terms = { type: 'ChooseHandle', userId, handleKey, exactKey, isProven: proof.isGiven } as const;
    const choice = { ...terms, most: this.limits.limits.handles };
    try {
      // Before the claim, which lasts.
      assertMayChoose(choice, await this.streams.read(tipPage, userId));
      await this.bus.execute(
        new ExecuteStreamCommand(
          handles,
          handleKey,
          { type: 'ClaimHandle', handleKey, userId },
          { correlationId, actorId: userId },
        ),
      );
      const sealed = await this.vault.seal(userId, handle);
      return await this.answer(caller, reply, await this.execute(caller, { ...choice, handle: sealed }));
    } catch (error) {
      if (error instanceof Rejected && error.reason === 'ProofNeeded') throw await proof.refusal();
      throw error;
    }
  }

  @ApiCall({
    summary: 'Says what the tip page shows, and whether search engines may list it.',
    answer: TipPageAnswer,
    proof: unguarded('It says how its owner is called there; money goes where it went.'),
    otherwise: { 400: 'What is wrong with the words' },
  })
  @Put()
  async describe(
    @SignedIn() caller: Caller,
    @Body(new Validated(PutTipPage)) body: PutTipPage,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TipPageAnswer> {
    const { userId } = caller;
    const { isListed, stageName, line } = body;
    const words: TipPageWords = { stageName, line };
    const [sealed, fingerprint] = await Promise.all([
      this.vault.seal(userId, JSON.stringify(words)),
      this.vault.fingerprint(userId, body),
    ]);
    const command = { type: 'DescribeTipPage', userId, words: sealed, isListed, fingerprint } as const;
    return this.answer(caller, reply, await this.execute(caller, command));
  }

  @ApiCall({
    summary: 'Publishes the tip page, or takes it back.',
    answer: TipPageAnswer,
    proof: unguarded('It moves nothing: what is paid there goes to its owner.'),
    otherwise: { 409: 'There is no handle yet' },
  })
  @Put('published')
  async publish(
    @SignedIn() caller: Caller,
    @Body(new Validated(PutPublished)) { isPublished }: PutPublished,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TipPageAnswer> {
    const type = isPublished ? 'PublishTipPage' : 'UnpublishTipPage';
    return this.answer(caller, reply, await this.execute(caller, { type, userId: caller.userId }));
  }

  @ApiCall({
    summary: 'The poster, the table card or a sheet of stickers with the code of the tip page, as a PDF.',
    answerType: 'application/pdf',
    otherwise: { 400: 'What is wrong with the kind or the paper', 409: 'There is no handle yet' },
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
    const file = await printed({ kind, paper, name, shortName, line, handle, address });
    return reply
      .type('application/pdf')
      .header('content-disposition', `attachment; filename="encore-${kind}-${handle}.pdf"`)
      .send(file);
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
