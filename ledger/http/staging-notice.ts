/** The start page with the notice on it that is hidden where real money moves. */
export const withStagingNotice = (html: string): string =>
  html.replace(/(<p id="staging"[^>]*?) hidden(?:="")?/, '$1');
