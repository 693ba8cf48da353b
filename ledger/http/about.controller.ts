/** What a client must know before it calls: the browser's configuration, and the API's own description. */
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { BrowserConfiguration } from '#contracts/api/browser-configuration';
import { PUBLIC_URL } from '../parts.js';
import { apiPage, openApi } from './api-description.js';

/** What is the same for every browser; made in processes/ledger.ts from the settings. */
export class About {
  constructor(readonly browser: BrowserConfiguration) {}
}

/** Signed-in only, like every call: the one rule has no exception for it. */
@Controller('api')
export class AboutController {
  private readonly page = apiPage();
  private readonly document: object;

  constructor(
    private readonly about: About,
    @Inject(PUBLIC_URL) publicUrl: string,
  ) {
    this.document = openApi(publicUrl);
  }

  @Get('config')
  configuration(): BrowserConfiguration {
    return this.about.browser;
  }

  @Get('openapi.json')
  openApi(): object {
    return this.document;
  }

  @Get('docs')
  docs(@Res() reply: FastifyReply): FastifyReply {
    return reply.type('text/html; charset=utf-8').send(this.page);
  }
}
