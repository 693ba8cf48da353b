/** What a client must know before it calls: the browser's configuration, and the API's own description. */
import { Controller, Get, Inject, Res, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { BrowserConfiguration } from '#contracts/api/browser-configuration';
import { ApiCall, callsOf } from '#edge/api-call';
import { PUBLIC_URL } from '../parts.js';
import { ActiveMethods } from '../stripe/active-methods.js';
import { pageNonce } from './content-security.js';
import { apiPage, openApi } from './api-description.js';

/** What is the same for every browser; made in processes/ledger/parts.ts from the settings. */
export class About {
  constructor(readonly browser: Omit<BrowserConfiguration, 'paymentMethods'>) {}
}

@Controller('api')
export class AboutController {
  constructor(
    private readonly about: About,
    private readonly methods: ActiveMethods,
  ) {}

  @ApiCall({ summary: 'What the browser needs to reach the card provider.', answer: BrowserConfiguration })
  @Get('config')
  async configuration(): Promise<BrowserConfiguration> {
    return { ...this.about.browser, paymentMethods: [...(await this.methods.offered())] };
  }
}

/** The description of all calls; what describes them is not part of it. Signed-in only, like every call. */
@Controller('api')
export class ApiDescriptionController implements OnApplicationBootstrap {
  private calls: ReturnType<typeof callsOf> = [];
  private document: object | undefined;
  private page: (nonce: string) => string = () => '';

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
  ) {}

  /** A call that nobody has described keeps the process from starting. */
  onApplicationBootstrap(): void {
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as Type);
    const calls = callsOf(controllers.filter((controller) => controller !== ApiDescriptionController));
    this.calls = calls;
    this.page = (nonce) => apiPage(calls, nonce);
  }

  @Get('openapi.json')
  openApi(): object {
    // Made when it is first asked: it is an eighth of what a ledger computes to start.
    return (this.document ??= openApi(this.calls, this.publicUrl));
  }

  @Get('docs')
  docs(@Res() reply: FastifyReply): FastifyReply {
    return reply.type('text/html; charset=utf-8').send(this.page(pageNonce(reply)));
  }
}
