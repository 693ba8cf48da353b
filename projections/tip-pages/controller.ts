/** One's own public tip page, as it is set up. */
import { Controller, Get } from '@nestjs/common';
import { TipPageAnswer } from '#contracts/api/tip-page';
import { suggestedHandle, tipPagePath } from '#contracts/plain/handle';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { Queryable } from '../engine/read-model.js';
import { userById } from '../users/queries.js';
import { tipPageOf } from './queries.js';

@Controller('api/tip-page')
export class TipPageReadController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({ summary: 'The user’s public tip page, as it is set up.', answer: TipPageAnswer })
  @Get()
  mine(@SignedIn() { userId }: Caller): Promise<TipPageAnswer> {
    return tipPageAnswer(this.db, userId);
  }
}

/** A tip page as its owner sees it. */
export async function tipPageAnswer(db: Queryable, userId: string): Promise<TipPageAnswer> {
  const page = await tipPageOf(db, userId);
  const { handle } = page;
  const username = handle === null ? (await userById(db, userId))?.username : undefined;
  return {
    handle,
    suggestedHandle: suggestedHandle(username ?? '') ?? null,
    path: handle === null ? null : tipPagePath(handle),
    isPublished: page.isPublished,
    isListed: page.isListed,
    stageName: page.stageName ?? '',
    line: page.line ?? '',
  };
}
