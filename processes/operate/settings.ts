/** The settings of the process that archives the log. */
export const NAMES = [
  'EVENTSTORE_URL',
  'ENCORE_ARCHIVE',
  'ARCHIVE_PORT',
  'ARCHIVE_HOST',
  'METRICS_TOKEN',
  'LOG_LEVEL',
] as const;
