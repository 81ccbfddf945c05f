// SPDX-License-Identifier: Apache-2.0
// A program without a dynamic loader: nothing can be preloaded into it, which the harness must say.
int main() {
  return 0;
}
