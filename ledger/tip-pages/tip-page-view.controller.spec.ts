/**
 * What the tip page answers where there is no such receipt: it says nothing untrue of the performer’s page.
 */
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TipPageViewController } from './tip-page-view.controller.js';
import { JUNOS_PAGE } from '#test/support/shown-tip-page';
import type { ShownTipPage } from './tip-page-reads.js';

/**
 * What is answered to somebody signed in who opens this address, where there is this page and no such
 * payment.
 */
async function answerTo(token: string, page: ShownTipPage): Promise<{ status: number; html: string }> {
  const pages = { byKey: async () => page, closedOwner: async () => undefined };
  const payments = { ofGuest: async () => undefined, ofPayer: async () => undefined };
  const settings = { publicUrl: 'https://encore.example', script: () => '', font: () => undefined };
  const view = new TipPageViewController(
    ...([pages, {}, payments, {}, settings, {}, {}, {}, {}] as unknown as ConstructorParameters<
      typeof TipPageViewController
    >),
  );
  const answer = { status: 200, html: '' };
  const reply = {
    raw: {},
    code: (status: number) => Object.assign(reply, { status }),
    type: () => reply,
    header: () => reply,
    send: (html: string) => Object.assign(answer, { html, status: Number(Object(reply).status) }),
  };
  const request = { userId: 'usr_wren', headers: {}, query: {} };
  await view.receipt(
    'junoplays',
    token,
    request as unknown as FastifyRequest,
    reply as unknown as FastifyReply,
  );
  return answer;
}

/** Cut off by whatever passed the link on. */
const CUT_OFF = ['wwwwwwwwww', 'pay_7q4m'];

describe('an address that leads to no receipt', () => {
  it.each(CUT_OFF)('does not deny the page that is there: %s', async (token) => {
    const { status, html } = await answerTo(token, JUNOS_PAGE);
    expect(status).toBe(404);
    expect(html).not.toContain('There is no tip page');
    expect(html).toContain('No receipt here');
    expect(html).toContain('href="/@junoplays"');
  });

  it.each(CUT_OFF)('tells nothing of a page that is not published: %s', async (token) => {
    const { status, html } = await answerTo(token, { ...JUNOS_PAGE, isPublished: false });
    expect(status).toBe(404);
    expect(html).toContain('There is no tip page under @junoplays.');
  });
});
