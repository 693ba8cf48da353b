/** What a page says while the server marks its answers; see headers.ts. */
export const OUT_OF_DATE = {
  stale: 'What you see may be out of date, and payments may have to wait. Nothing is lost.',
  closed:
    'Payments and changes are closed for now, while records are put in order. What you see may be out of date.',
} as const;
