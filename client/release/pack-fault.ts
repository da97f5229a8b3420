/** What is wrong with the bytes of a pack; who reads it adds which pack it is. */

export class PackFault extends Error {
  override readonly name = "PackFault";
}
