/** A person's own data as one download. */
import { Readable } from 'node:stream';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { OWN_DATA_FILE } from '#contracts/plain/own-data';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded } from '#edge/proof';
import { seenFrom } from '#edge/seen-from';
import { Messages } from '../bus/messages.js';
import { LOG } from '../parts.js';
import { Places } from '../sessions/places.js';
import { OwnData, ownDataText } from './own-data-file.js';
import { WHAT_IS_KEPT } from './what-is-kept.js';

const TYPE = 'application/json; charset=utf-8';

@Controller('api/own-data')
export class OwnDataController {
  constructor(
    private readonly data: OwnData,
    private readonly messages: Messages,
    private readonly places: Places,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  // Without a key of its client's: a repeat a day later would hand all of it out again without a proof.
  @ApiCall({
    summary:
      'All that is known of the user and shown to them, as one JSON file, with what is kept after forgetting.',
    answer: z.looseObject({ whatIsKept: z.looseObject({}) }),
    answerType: 'application/json',
    proof: guarded('data', () => ({ words: 'Download all of my data' })),
  })
  @Post()
  @HttpCode(200)
  async download(
    @SignedIn() { userId, correlationId }: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const madeAt = new Date();
    const parts = await this.data.partsOf(userId);
    // Before anything is sent: who breaks the download off has its owner told all the same.
    await this.tell(userId, request);
    const text = ownDataText([
      { name: 'madeAt', value: madeAt },
      ...parts,
      { name: 'whatIsKept', value: WHAT_IS_KEPT },
    ]);
    const file = Readable.from(text, { objectMode: false });
    // The connection ends before the file does, and the browser keeps nothing of it.
    file.on('error', (error) =>
      this.log.error({ err: error, correlationId }, 'a download of data broke off'),
    );
    return reply
      .type(TYPE)
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${OWN_DATA_FILE}"`)
      .send(file);
  }

  /**
   * Of each download, under a key that no caller chooses: the same correlation id may be sent twice. Throws
   * where it cannot be kept: then nothing is handed out.
   */
  private tell(userId: string, request: FastifyRequest): Promise<void> {
    const { device, network } = seenFrom(request);
    const place = this.places.of(request.ip);
    const facts = {
      device: device.name,
      ...(place === undefined ? {} : { place }),
      ...(network === undefined ? {} : { address: network }),
    };
    return this.messages.put({ userId, kind: 'data_downloaded', key: uuidv7(), facts, at: new Date() });
  }
}
