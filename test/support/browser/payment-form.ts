/**
 * The card provider's payment form as a payer meets it: a frame with card fields or Cash App, and the pages
 * that follow.
 */
import type { FrameLocator, Page } from 'playwright-core';

/** The address of the frame with the form. */
export const FIELDS = '**/v3/elements/payment';
/** The frame with the form. */
export const paymentForm = (page: Page): FrameLocator =>
  page.frameLocator('iframe[title="Secure payment input frame"]');

/** Enters a card; does not press Pay. */
export async function enterCard(page: Page, number: string): Promise<void> {
  const form = paymentForm(page);
  for (const [label, text] of [
    ['Card number', number],
    ['Expiration date', '12 / 40'],
    ['Security code', '123'],
    ['ZIP code', '94110'],
  ] as const)
    await form.getByLabel(label).fill(text);
}

/** The bank's page over the checkout. */
export async function answerBank(page: Page, answer: 'Complete' | 'Fail'): Promise<void> {
  const bank = page.frameLocator('iframe[title="Your bank’s confirmation page"]');
  await bank.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
  await bank.getByRole('button', { name: answer }).click();
}

/** Cash App's page, on which the payer has arrived or will. */
export async function answerCashApp(page: Page, answer: 'Authorize' | 'Refuse'): Promise<void> {
  await page.getByRole('heading', { name: 'Cash App' }).waitFor();
  await page.getByRole('button', { name: answer }).click();
}
