# SPDX-License-Identifier: MIT
set(missing "only its parts exist so far")
