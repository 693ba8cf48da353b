/** Usernames that nobody else of a run has: of people with a browser and of those without. */
let given = 0;

export function newUsername(firstName: string): string {
  given += 1;
  return `${firstName.toLowerCase()}.${given}`;
}
