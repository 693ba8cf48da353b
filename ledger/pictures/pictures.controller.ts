/** One's own picture: put there, shown to oneself, taken away. Nothing is fetched from anywhere else. */
import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PictureAnswer } from '#contracts/api/users';
import { pictureUrl } from '#contracts/plain/picture-url';
import { ApiCall } from '#edge/api-call';
import { guarded, ShownProof, unguarded, type CallProof } from '#edge/proof';
import { SignedIn, type Caller } from '#edge/caller';
import { Refusal } from '#edge/refusal';
import { drawn, PICTURE_TYPE } from './picture-drawing.js';
import { PictureStore } from './picture-store.js';

/** Whether payers may know a picture, as the log says; filled in processes/ledger/reads.ts. */
export abstract class PublishedPages {
  /** Whether the user has ever published a tip page, also one that was taken back. Throws StoreAway. */
  abstract wasPublished(userId: string): Promise<boolean>;
}

const HASH = /^[A-Za-z0-9_-]{43}$/;

@Controller('api/user/picture')
export class PicturesController {
  constructor(
    private readonly pictures: PictureStore,
    private readonly pages: PublishedPages,
  ) {}

  @ApiCall({
    summary:
      'Puts a picture of oneself: the file itself, JPEG, PNG or WebP, of two megabytes at most. Needs a proof once a tip page was published.',
    answer: PictureAnswer,
    // What a thief puts there, such as the code of another page, is what payers scan.
    proof: guarded('destination', () => ({ words: 'Show another picture on my tip page' }), {
      isAllowedSome: true,
    }),
    otherwise: { 400: 'No picture', 413: 'Too large', 415: 'Another type' },
  })
  @Put()
  async put(
    @SignedIn() { userId }: Caller,
    @ShownProof() proof: CallProof,
    @Req() { body }: FastifyRequest,
  ): Promise<PictureAnswer> {
    if (!Buffer.isBuffer(body))
      throw new Refusal(
        415,
        'Send the picture itself, with image/jpeg, image/png or image/webp as its type.',
      );
    if (!proof.isGiven && (await this.pages.wasPublished(userId))) throw await proof.refusal();
    const picture = await drawn(body);
    await this.pictures.put(userId, picture);
    return { profileImageUrl: pictureUrl(picture.hash) };
  }

  @ApiCall({
    summary: 'One’s own picture, by its hash. It never changes, so a browser keeps it.',
    answerType: PICTURE_TYPE,
    otherwise: { 404: 'There is no such picture of yours' },
  })
  @Get(':hash')
  async get(
    @SignedIn() { userId }: Caller,
    @Param('hash') hash: string,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const bytes = HASH.test(hash) ? await this.pictures.bytesOf(userId, hash) : undefined;
    if (bytes === undefined) throw new Refusal(404, 'There is no such picture.');
    return reply
      .type(PICTURE_TYPE)
      .headers({
        'cache-control': 'private, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-disposition': 'inline; filename="picture.webp"',
        vary: 'cookie',
      })
      .send(bytes);
  }

  @ApiCall({ summary: 'Takes one’s own picture away.', proof: unguarded('It moves nothing.') })
  @Delete()
  @HttpCode(204)
  async remove(@SignedIn() { userId }: Caller): Promise<void> {
    await this.pictures.remove(userId);
  }
}
