/** Who is in the demo. The names are made up, and nobody can own an address that ends in `.example`. */

/** Everybody's password: the demo is for the user of this machine and listens on it only. */
export const PASSWORD = 'one more song please';

export interface DemoPerson {
  readonly firstName: string;
  readonly lastName: string;
  readonly username: string;
  readonly email: string;
  /** What they do, in a few words. */
  readonly does: string;
}

/** By the names that the demo's chapters call them. */
export const PEOPLE = {
  juno: person('Juno', 'Valastro', 'junoplays', 'juno@valastro.example', 'plays the piano'),
  odalys: person('Odalys', 'Ferrante', 'odalys.sings', 'odalys@ferrante.example', 'sings jazz'),
  teodor: person('Teodor', 'Blum', 'teodor.tricks', 'teodor@blum.example', 'does close-up magic'),
  nell: person('Nell', 'Castellane', 'nell.standsup', 'nell@castellane.example', 'tells jokes'),
  wren: person('Wren', 'Achebe', 'wren', 'wren@achebe.example', 'is a fan'),
  imani: person('Imani', 'Roux', 'imani.roux', 'imani@roux.example', 'is a fan'),
  marlow: person('Marlow', 'Quay', 'marlowq', 'marlow@quay.example', 'is a fan'),
  petra: person('Petra', 'Sandoval', 'petra.s', 'petra@sandoval.example', 'is a fan'),
  lantern: person('Lantern', 'Hall', 'lanternhall', 'desk@lanternhall.example', 'books the acts'),
} as const satisfies Record<string, DemoPerson>;
export type DemoName = keyof typeof PEOPLE;

function person(
  firstName: string,
  lastName: string,
  username: string,
  email: string,
  does: string,
): DemoPerson {
  return { firstName, lastName, username, email, does };
}
