/** The settings of the process that publishes the tree. */
export const NAMES = [
  'EVENTSTORE_URL',
  'PUBLIC_URL',
  'ENCORE_TRANSPARENCY',
  'TRANSPARENCY_KEY',
  'TRANSPARENCY_NAME',
  'TRANSPARENCY_EVERY_SECONDS',
  'TRANSPARENCY_PORT',
  'TRANSPARENCY_HOST',
  'METRICS_TOKEN',
  'LOG_LEVEL',
] as const;
