// SPDX-License-Identifier: Apache-2.0
// The template: a data directory as a fresh installation has it, made once and copied for each
// start.
//
// It is made by `--bootstrap` from the SQL scripts the server ships or, where the server has them
// in itself, by `--initialize-insecure`; not by mariadb-install-db: that script, run as root,
// changes the owner and mode of an authentication helper of the *system's* MariaDB, and fills in
// half a megabyte of help texts nobody will ask for. Then the server is started once and shut down
// cleanly, so that a copy needs neither recovery nor first-time work; then blocks of zeros are made
// holes.
//
// Templates are kept in the cache folder by a key of all that shapes them: the server's version and
// binary, the options, and kFormat. One is made in a temporary folder and renamed into place, under
// a lock file, so two esox at once make it once, and a half-made one is never seen. A note of its
// size beside the data tells a damaged one (a power cut after the rename), which is made again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "targets/mysqld/release.h"

namespace esox {

struct TemplateRequest {
  std::filesystem::path program;
  Release release;
  std::vector<std::string> options;  // the tester's, for every start
  std::filesystem::path cache;       // folder to keep templates in; made if missing
  std::filesystem::path base;        // folder for private folders while making one
};

// The folder of the template's data, made if it is not there yet. Throws ServerError.
std::filesystem::path ensure_template(const TemplateRequest& request);

// The root account has no password, and database `test` exists and is empty.

}  // namespace esox
