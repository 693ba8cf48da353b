/** What time it is for what is due. A part of its own, so that a suite can let a year pass in seconds. */
export abstract class ScheduleClock {
  abstract now(): Date;
}
